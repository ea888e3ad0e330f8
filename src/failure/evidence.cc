#include "src/failure/evidence.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/core.h>

namespace heddle {
namespace {

constexpr std::uint64_t kMaxStackDepth = 256;
constexpr int kMaxNesting = 64;  // of thread names; parents come before children, so a longer chain is damage

bool may_block(std::uint32_t kind) { return heddle_event_properties(kind) & HEDDLE_P_MAYBLOCK; }

}  // namespace

std::string thread_name(std::span<const HeddleThreadInfo> threads, std::uint32_t index) {
  std::string name;
  for (int depth = 0; index != 0 && index < threads.size() && depth < kMaxNesting; ++depth) {
    name = fmt::format(".{}{}", threads[index].ordinal, name);
    if (threads[index].parent >= index) return fmt::format("?{}", name);
    index = threads[index].parent;
  }
  return index == 0 ? "0" + name : fmt::format("?{}", name);
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

EvidenceReader::EvidenceReader(const RunEvidence& evidence) : evidence_(evidence) {}

bool EvidenceReader::is_live(std::size_t index) const {
  const std::uint32_t state = thread(index).state;
  return state != HEDDLE_T_FREE && state != HEDDLE_T_DONE;
}

bool EvidenceReader::is_blocked(std::size_t index) const {
  const HeddleThreadInfo& t = thread(index);
  return t.state == HEDDLE_T_PENDING && !t.enabled && t.deadline_ns == 0 && may_block(t.pending_kind);
}

Stack EvidenceReader::captured_stack(std::uint32_t id) const {
  const auto words = evidence_.stack_words;
  if (id == 0 || id - 1 >= words.size() || !evidence_.symbolizer) return {};
  const std::size_t at = id - 1;
  const std::uint64_t length = words[at];
  if (length > kMaxStackDepth || length > words.size() - at - 1) return {};
  Stack stack;
  for (const std::uint64_t pc : words.subspan(at + 1, length))
    std::ranges::move(evidence_.symbolizer->frames(pc, true), std::back_inserter(stack));
  return stack;
}

const Stack& EvidenceReader::stack(std::size_t index) {
  auto [it, is_new] = stacks_.try_emplace(index);
  if (!is_new || !evidence_.symbolizer) return it->second;
  const HeddleThreadInfo& t = thread(index);
  const bool failed_here = failure().kind != HEDDLE_FAIL_NONE && failure().has_regs && failure().thread == index;
  if (evidence_.pid > 0 && (failed_here || (t.flags & HEDDLE_TF_HAS_REGS)))
    it->second = evidence_.symbolizer->unwind(evidence_.pid, failed_here ? failure().regs : t.regs);
  if (it->second.empty()) it->second = captured_stack(t.pending_stack);
  return it->second;
}

const HeddleObjectInfo* EvidenceReader::pending_object(std::size_t index) const {
  const HeddleThreadInfo& t = thread(index);
  const auto objects = evidence_.objects;
  if (t.pending_object == 0) return nullptr;
  // Ids start at 1. An object past the end of the region's table shares the last record, so its address is asked too.
  const auto matches = [&](std::size_t i) { return i < objects.size() && objects[i].address == t.pending_address; };
  for (const std::size_t i : {std::size_t{t.pending_object} - 1, std::size_t{t.pending_object}})
    if (matches(i)) return &objects[i];
  return nullptr;
}

std::string EvidenceReader::object_name(const HeddleObjectInfo* object) {
  if (!object) return {};
  if (object_names_.empty()) {
    std::map<std::string_view, unsigned> numbers;
    for (const HeddleObjectInfo& o : evidence_.objects) {
      std::string name = o.address && evidence_.symbolizer ? evidence_.symbolizer->data_name(o.address) : "";
      const std::string_view word = object_word(o.kind);
      if (name.empty()) name = fmt::format("{}#{}", word, ++numbers[word]);
      object_names_.emplace(&o, std::move(name));
    }
  }
  return object_names_.at(object);
}

}  // namespace heddle
