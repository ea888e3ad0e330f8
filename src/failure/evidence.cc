#include "src/failure/evidence.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/core.h>

#include "src/failure/object_names.h"

namespace heddle {
namespace {

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
  if (!evidence_.symbolizer) return {};
  Stack stack;
  for (const std::uint64_t pc : stack_addresses(evidence_.stack_words, id))
    std::ranges::move(evidence_.symbolizer->frames(pc, true), std::back_inserter(stack));
  leave_out_runtime(stack);
  return stack;
}

Stack EvidenceReader::call(std::uint64_t return_address) const {
  return evidence_.symbolizer ? evidence_.symbolizer->frames(return_address, true) : Stack{};
}

const Stack& EvidenceReader::stack(std::size_t index) {
  auto [it, is_new] = stacks_.try_emplace(index);
  if (!is_new || !evidence_.symbolizer) return it->second;
  const HeddleThreadInfo& t = thread(index);
  const bool failed_here = failure().kind != HEDDLE_FAIL_NONE && failure().has_regs && failure().thread == index;
  if (evidence_.pid > 0 && (failed_here || (t.flags & HEDDLE_TF_HAS_REGS))) {
    const HeddleRegs& regs = failed_here ? failure().regs : t.regs;
    it->second = evidence_.symbolizer->unwind(evidence_.pid, regs);
    leave_out_runtime(it->second);
    // Of the innermost frame the registers tell; the rest lies in memory. One of a library alone says nothing.
    if (it->second.size() <= 1 && !Symbolizer::can_read(evidence_.pid, regs.rsp)) {
      memory_denied_ = true;
      if (!it->second.empty() && it->second.front().system) it->second.clear();
    }
  }
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

// Entry i of the region's table has id i + 1.
std::uint32_t EvidenceReader::object_id(const HeddleObjectInfo* object) const {
  return object ? static_cast<std::uint32_t>(object - evidence_.objects.data() + 1) : 0;
}

std::string EvidenceReader::object_name(const HeddleObjectInfo* object) {
  if (!object) return {};
  if (object_names_.empty())
    object_names_ = object_names(evidence_.objects, evidence_.stack_words, evidence_.symbolizer);
  return object_names_[static_cast<std::size_t>(object - evidence_.objects.data())].text;
}

}  // namespace heddle
