// heddle hunt --simplify: the trace of the found failure, simplified in its place.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/hunt_arguments.h"
#include "tools/simplify_trace.h"

namespace heddle {

struct SimplifiedFinding {
  std::optional<SimplifyAnswer> answer;
  std::filesystem::path original;  // where the trace of the hunt lies now
  std::optional<Error> why_not;    // then the trace is as the hunt wrote it
  bool interrupted = false;        // this is why, or why there may be a simpler one
};

/// The trace that the hunt wrote becomes the simplified one; the original lies beside it ("queue-1-full.heddle"). An
/// interrupt ends this with the best so far, one that came before with none at all; `impatient`: outlast_interrupts().
SimplifiedFinding simplify_finding(const HuntArguments& arguments, const std::filesystem::path& trace,
                                   const std::atomic<bool>& impatient, bool live);

/// What is left, a line each: for the middle of what the hunt says.
std::vector<std::string> simplified_lines(const SimplifiedFinding& finding, const std::string& trace);
nlohmann::ordered_json simplified_json(const SimplifiedFinding& finding, const std::filesystem::path& trace);

}  // namespace heddle
