// A hunt with all that comes behind the search: what was found is executed again, written and, if asked for,
// simplified.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/standard_input.h"
#include "src/engine/user.h"
#include "src/hunt/hunt.h"
#include "src/hunt/races.h"
#include "src/hunt/simplify_finding.h"
#include "src/hunt/witness.h"
#include "src/program/program.h"

namespace heddle {

struct FindTask {
  HuntRequest request;  // its `stop`, which must be there, ends the search and what can be left out behind it
  ProgramInfo program;
  std::optional<StandardInput> input;  // what every run of the program reads
  std::filesystem::path trace;
  bool trace_is_named = false;  // by the user: what is there is replaced
  bool simplify = false;
  User user;
  std::string heddle_version;
  const std::atomic<bool>* give_up = nullptr;  // must be there. Set: what was found is written as it is
};

/// What is told while it goes on; each may be null.
struct FindProgress {
  std::function<void(const HuntProgress&)> searching;
  std::function<void(const SimplifyProgress&)> simplifying;
  std::function<void()> done;  // with one of them
};

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
  std::vector<ToldFailure> told;              // one for each of result.failures; without --keep-going with a witness
  RaceFindings races;
  std::filesystem::path race_place;     // nothing failed: where the trace of the first run with a race goes
  std::optional<TraceHead> race_trace;  // that trace
  std::optional<Error> no_race_trace;   // why there is none

  /// The index of the failure to speak of when there is room for one: the first that is confirmed, else the first that
  /// has a trace. None: nothing failed, or (--keep-going) no trace could be written.
  std::optional<std::size_t> foremost() const;
};

/// Errors: the program cannot be controlled; no trace of the failure that ended the search could be written.
Result<Answer> find(const FindTask& task, const FindProgress& progress);

/// The search must not be lost with its trace: the same seed finds the failure again.
Error found_but_not_written(const FindTask& task, const Answer& answer);

}  // namespace heddle
