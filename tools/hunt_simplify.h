// heddle hunt --simplify: the trace of the found failure, simplified in its place.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/time_limit.h"
#include "tools/hunt_arguments.h"
#include "tools/simplify_answer.h"

namespace heddle {

struct SimplifiedFinding {
  std::optional<SimplifyAnswer> answer;
  std::filesystem::path original;  // where the trace of the hunt lies now
  std::optional<Error> why_not;    // then the trace is as the hunt wrote it
  bool interrupted = false;        // this is why, or why there may be a simpler one ...
  bool out_of_time = false;        // ... or this
};

/// The trace that the hunt wrote becomes the simplified one; the original lies beside it ("queue-1-full.heddle"). An
/// interrupt or `end` ends this with the best so far, one that came before with none at all. `give_up`: without that,
/// too.
SimplifiedFinding simplify_finding(const HuntArguments& arguments, const std::filesystem::path& trace,
                                   std::optional<TimeLimit::Clock::time_point> end, const std::atomic<bool>& give_up,
                                   bool live);

/// What is left, a line each: for the middle of what the hunt says.
std::vector<std::string> simplified_lines(const SimplifiedFinding& finding, const std::string& trace);
nlohmann::ordered_json simplified_json(const SimplifiedFinding& finding, const std::filesystem::path& trace);

}  // namespace heddle
