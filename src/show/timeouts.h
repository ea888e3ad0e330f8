// The sleeps and time-outs of a trace that ended early by a choice of its schedule (HEDDLE_TIME_LOOSE): part of the
// cause, if the failure needs them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "src/result/result.h"
#include "src/trace/container.h"

namespace heddle {

struct EarlyTimeout {
  std::uint64_t step = 0;
  std::string thread, place;  // "queue.c:48 in main"
  std::string what;           // "sleep", "wait on c"
  std::uint64_t skipped_ns = 0;
  std::string before;  // what another thread did only after it: "thread 0.1 ran queue.c:12 (lock m)"; empty: no other
                       // thread ran
};

/// In the order of the trace, at most `most`. Errors: the trace cannot be read.
Result<std::vector<EarlyTimeout>> early_timeouts(const TraceReader& trace, std::size_t most = 5);

/// "the sleep at queue.c:48 in main, thread 0, ended before thread 0.1 ran queue.c:12 (lock m); 500 us were left"
std::string in_words(const EarlyTimeout& timeout);

}  // namespace heddle
