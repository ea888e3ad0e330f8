#include "src/failure/object_names.h"

#include <map>

#include <fmt/core.h>

#include "src/show/kind_text.h"

namespace heddle {
namespace {
constexpr std::uint64_t kMaxStackDepth = 256;
}

std::vector<std::uint64_t> stack_addresses(std::span<const std::uint64_t> words, std::uint32_t id) {
  if (id == 0 || id - 1 >= words.size()) return {};
  const std::size_t at = id - 1;
  const std::uint64_t length = words[at];
  if (length > kMaxStackDepth || length > words.size() - at - 1) return {};
  const auto addresses = words.subspan(at + 1, length);
  return {addresses.begin(), addresses.end()};
}

std::vector<ObjectName> object_names(std::span<const HeddleObjectInfo> objects,
                                     std::span<const std::uint64_t> stack_words, Symbolizer* symbolizer) {
  std::vector<ObjectName> names;
  std::map<std::string, unsigned, std::less<>> numbers;
  for (const HeddleObjectInfo& o : objects) {
    ObjectName name = o.address && symbolizer ? symbolizer->data(o.address) : ObjectName{};
    if (name.text.empty()) {
      if (symbolizer) name.text = symbolizer->object_name(stack_addresses(stack_words, o.first_stack));
      name.origin = name.text.empty() ? NameOrigin::kNumber : NameOrigin::kProgram;
      if (name.text.empty()) name.text = to_text(heddle_object_class(o.kind));
      const unsigned number = ++numbers[name.text];
      if (name.origin == NameOrigin::kNumber || number > 1) name.text += fmt::format("#{}", number);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace heddle
