// heddle hunt --simplify: the trace of the found failure, simplified in its place.
#pragma once
#include <filesystem>
#include <optional>

#include "src/engine/time_limit.h"
#include "src/simplify/simplify_trace.h"

namespace heddle {

struct SimplifiedFinding {
  std::optional<SimplifyAnswer> answer;
  std::filesystem::path original;  // where the trace of the hunt lies now
  std::optional<Error> why_not;    // then the trace is as the hunt wrote it
  bool interrupted = false;        // this is why, or why there may be a simpler one ...
  bool out_of_time = false;        // ... or this
};

/// `trace`, which the hunt wrote, becomes the simplified one; the original lies beside it ("queue-1-full.heddle").
/// `task` says how; its traces are filled in here. `task.session.stop` or `end` ends this with the best so far, one
/// that came before with none at all. `task.give_up`: without that, too.
SimplifiedFinding simplify_finding(SimplifyTask task, const std::filesystem::path& trace,
                                   std::optional<TimeLimit::Clock::time_point> end);

}  // namespace heddle
