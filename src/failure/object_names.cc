#include "src/failure/object_names.h"

#include <map>

#include <fmt/core.h>

namespace heddle {
namespace {
constexpr std::uint64_t kMaxStackDepth = 256;
}

std::string_view object_word(std::uint32_t kind) {
  switch (kind) {
    case HEDDLE_EV_MUTEX_LOCK:
    case HEDDLE_EV_MUTEX_TRYLOCK:
    case HEDDLE_EV_MUTEX_UNLOCK:
      return "mutex";
    case HEDDLE_EV_RW_RDLOCK:
    case HEDDLE_EV_RW_WRLOCK:
    case HEDDLE_EV_RW_TRYLOCK:
    case HEDDLE_EV_RW_UNLOCK:
      return "rwlock";
    case HEDDLE_EV_COND_WAIT:
    case HEDDLE_EV_COND_WAKE:
    case HEDDLE_EV_COND_SIGNAL:
    case HEDDLE_EV_COND_BROADCAST:
      return "cond";
    case HEDDLE_EV_SEM_WAIT:
    case HEDDLE_EV_SEM_TRYWAIT:
    case HEDDLE_EV_SEM_POST:
      return "semaphore";
    case HEDDLE_EV_BARRIER_ARRIVE:
    case HEDDLE_EV_BARRIER_LEAVE:
      return "barrier";
    case HEDDLE_EV_ONCE:
    case HEDDLE_EV_ONCE_DONE:
      return "once";
    case HEDDLE_EV_SPIN_LOCK:
    case HEDDLE_EV_SPIN_TRYLOCK:
    case HEDDLE_EV_SPIN_UNLOCK:
      return "spinlock";
    case HEDDLE_EV_FUTEX_WAIT:
    case HEDDLE_EV_FUTEX_WOKEN:
    case HEDDLE_EV_FUTEX_WAKE:
      return "futex";
    default:
      return "object";
  }
}

std::vector<std::uint64_t> stack_addresses(std::span<const std::uint64_t> words, std::uint32_t id) {
  if (id == 0 || id - 1 >= words.size()) return {};
  const std::size_t at = id - 1;
  const std::uint64_t length = words[at];
  if (length > kMaxStackDepth || length > words.size() - at - 1) return {};
  const auto addresses = words.subspan(at + 1, length);
  return {addresses.begin(), addresses.end()};
}

std::vector<std::string> object_names(std::span<const HeddleObjectInfo> objects, std::span<const std::uint64_t> stack_words,
                                      Symbolizer* symbolizer) {
  std::vector<std::string> names;
  std::map<std::string, unsigned, std::less<>> numbers;
  for (const HeddleObjectInfo& o : objects) {
    std::string name = o.address && symbolizer ? symbolizer->data_name(o.address) : "";
    if (name.empty()) {
      if (symbolizer) name = symbolizer->object_name(stack_addresses(stack_words, o.first_stack));
      const bool spelled = !name.empty();
      if (!spelled) name = object_word(o.kind);
      const unsigned number = ++numbers[name];
      if (!spelled || number > 1) name += fmt::format("#{}", number);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace heddle
