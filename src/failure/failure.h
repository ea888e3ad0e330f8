// From the raw record of a stopped child to a FailureRecord with a signature. Identical for every way of executing.
#pragma once
#include <optional>
#include <string>

#include "abi/region.h"
#include "src/program/symbolizer.h"
#include "src/trace/trace.h"

namespace heddle {

/// The region as the child left it, bounded copies (see src/engine/region_view.h), and the way to symbolise it.
struct RunEvidence {
  const HeddleResult* result = nullptr;
  std::span<const HeddleThreadInfo> threads;
  std::span<const HeddleObjectInfo> objects;
  std::span<const std::uint64_t> stack_words;  // HEDDLE_AREA_STACKS
  pid_t pid = 0;                               // alive and stopped (unwinding allowed), or 0
  Symbolizer* symbolizer = nullptr;
};

std::string thread_name(std::span<const HeddleThreadInfo> threads, std::uint32_t index);

/// What the run ended with, from failure record and wait status; nullopt: nothing failed. Call while the child is still
/// stopped for inspection if stacks are wanted. `wait_status` is -1 when the child is not reaped yet.
std::optional<FailureRecord> classify(const RunEvidence& evidence, int wait_status);

/// kind + function names of the normalised stack (no lines, addresses, thread names); deadlock: rotation-normalised
/// cycle of lock sites (without a cycle: the set of waits that no thread can end); exit: status, and of a GoogleTest
/// program the test and the expectation that failed; exception: type and throwing function. Readable, parts joined by
/// '|', at most 200 characters. Made of the record's kind, subject, thread, threads, deadlock, function, test and
/// expectation. It consists of tokens (src/trace/kinds.h) and names: no text for people is part of it.
std::string signature(const FailureRecord& failure);

}  // namespace heddle
