// Executes something again and says whether it ended as expected: nothing is claimed that was not executed, and no
// trace is kept of what was not confirmed.
//
//   auto trace = begin_trace(path, meta, executor);                             // if a trace is wanted
//   auto again = confirm(executor, request, {conditions, same_as(first)}, &*trace);
//   if (again && !again->difference) finish_trace(*trace, meta, std::move(again->outcome), first_run(first), ...);
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/engine/conditions.h"
#include "src/engine/execute.h"
#include "src/engine/trace_builder.h"

namespace heddle {

/// How an execution that came to its end is another one than was expected, in one clause: "it did not fail". Nothing:
/// it is as expected.
using Differs = std::function<std::optional<std::string>(const RunOutcome& outcome)>;
/// From `first`, which failed and must outlive this: other steps, or another end (difference()).
Differs same_as(const RunOutcome& first);

struct Expectation {
  const FailureConditions& conditions;  // what counts as a failure
  Differs differs;
};

struct Confirmation {
  RunOutcome outcome;                     // judged, with evidence
  std::optional<std::string> difference;  // from what was expected; none: confirmed
  bool interrupted() const { return outcome.end == RunEnd::kInterrupted; }  // which says nothing about the program
};

using EventSink = std::function<void(std::span<const HeddleEvent>)>;

/// Executes `request`. Its events, at the detail of the request, go into `trace` and to `also`. Errors: the program
/// could not be executed.
Result<Confirmation> confirm(Executor& executor, const RunRequest& request, const Expectation& expected,
                             TraceBuilder* trace = nullptr, const EventSink& also = {});

/// The trace of an execution that is about to be made; `meta` is what it says if it is cut off. Errors: I/O.
Result<TraceBuilder> begin_trace(const std::filesystem::path& path, const Meta& meta, Executor& executor);

/// What the trace of a confirmed execution has from the one that it repeats; all must outlive finish_trace().
struct FirstRun {
  const std::string& inputs;                            // which it was given
  const std::optional<FailureRecord>& failure;          // in place of its own, if it was cut off before that
  const std::vector<HeddleSegment>* choices = nullptr;  // in place of its own
};
/// Of `first`, with evidence, and the failure that the trace shall have. One that we cut off has no end of its own:
/// then its choices are those of the trace.
FirstRun first_run(const RunOutcome& first, const std::optional<FailureRecord>& failure);

/// Completes and writes it. `meta` may say more than at its beginning. Errors: I/O.
Result<TraceHead> finish_trace(TraceBuilder& trace, Meta meta, RunOutcome confirmed, const FirstRun& first,
                               std::vector<RaceRecord> races, Executor& executor);

}  // namespace heddle
