// What a hunt found, and how it is told: in words or as JSON.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/hunt/hunt.h"
#include "src/hunt/races.h"
#include "src/hunt/witness.h"
#include "tools/hunt_arguments.h"
#include "tools/hunt_simplify.h"

namespace heddle {

struct OtherFailure {
  Witness witness;
  std::filesystem::path trace;
  std::optional<SimplifiedFinding> simplified;
};

struct Answer {
  HuntResult result;
  std::optional<Witness> witness;
  std::vector<OtherFailure> others;  // --keep-going: behind the first
  RaceFindings races;
  std::optional<TraceHead> race_trace;  // nothing failed: of the first run with a race
  std::optional<Error> no_race_trace;   // why there is none
  std::optional<SimplifiedFinding> simplified;
};

/// As the trace has it that is there to look at: with --simplify the simplified one, where another thread may be the one that fails.
const FailureRecord& failure_of(const Witness& witness, const std::optional<SimplifiedFinding>& simplified);

/// heddle hunt's exit status.
int status_of(const Answer& answer);
/// Of --json.
nlohmann::ordered_json object_of(const HuntArguments& arguments, const Answer& answer);
void print_answer(const HuntArguments& arguments, const Answer& answer);

}  // namespace heddle
