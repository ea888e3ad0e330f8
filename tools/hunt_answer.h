// What a hunt found, and how it is told: in words or as JSON.
#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/hunt/hunt.h"
#include "src/hunt/races.h"
#include "src/hunt/witness.h"
#include "tools/hunt_arguments.h"
#include "tools/hunt_simplify.h"

namespace heddle {

/// What came of a failure that the search saw.
struct ToldFailure {
  std::filesystem::path trace;
  std::optional<Witness> witness;
  std::optional<Error> not_written;  // there is no witness, since its trace could not be written
  std::optional<SimplifiedFinding> simplified;

  bool confirmed() const { return witness && witness->confirmed; }
  /// As the trace has it that is there to look at: with --simplify the simplified one, where another thread may be the
  /// one that fails. There must be a witness.
  const FailureRecord& failure() const {
    return simplified && simplified->answer ? *simplified->answer->after.failure : *witness->head.failure;
  }
};

struct Answer {
  HuntResult result;
  std::vector<std::string> environment;       // as traces hold it
  std::string whole_environment;              // why all of it; empty: what was asked for
  std::vector<std::filesystem::path> places;  // of the traces of result.failures
  std::vector<ToldFailure> told;  // one for each of result.failures; without --keep-going with a witness
  RaceFindings races;
  std::optional<TraceHead> race_trace;  // nothing failed: of the first run with a race
  std::optional<Error> no_race_trace;   // why there is none

  /// The index of the failure to speak of when there is room for one: the first that is confirmed, else the first that
  /// has a trace. None: nothing failed, or (--keep-going) no trace could be written.
  std::optional<std::size_t> foremost() const;
};

/// heddle hunt's exit status: that a failure is confirmed counts, not which.
int status_of(const Answer& answer);
/// --simplify, in lines: what is left of this failure's trace, and where the whole one lies. Empty: nobody asked.
std::vector<std::string> simplified_words(const ToldFailure& told);
/// Of --json.
nlohmann::ordered_json object_of(const HuntArguments& arguments, const Answer& answer);
void print_answer(const HuntArguments& arguments, const Answer& answer);

}  // namespace heddle
