#include "src/engine/confirm.h"

#include "src/engine/ending.h"

namespace heddle {

Differs same_as(const RunOutcome& first) {
  return [&first](const RunOutcome& again) { return difference(first, again); };
}

Result<Confirmation> confirm(Executor& executor, const RunRequest& request, const Expectation& expected,
                             TraceBuilder* trace, const EventSink& also) {
  EventSink on_events;
  if (trace || also)
    on_events = [&](std::span<const HeddleEvent> events) {
      if (trace) trace->on_events(events);
      if (also) also(events);
    };
  Result<RunOutcome> outcome = executor.execute(request, std::move(on_events));
  if (!outcome) return std::unexpected(outcome.error());
  expected.conditions.judge(*outcome);
  if (!outcome->evidence) outcome->evidence = executor.copy_evidence();
  Confirmation confirmation{std::move(*outcome), {}};
  confirmation.difference = confirmation.interrupted() ? std::optional<std::string>("it was interrupted")
                                                       : expected.differs(confirmation.outcome);
  return confirmation;
}

Result<TraceBuilder> begin_trace(const std::filesystem::path& path, const Meta& meta, Executor& executor) {
  Result<TraceWriter> writer = TraceWriter::create(path, executor.worker().options().seal);
  if (!writer) return std::unexpected(writer.error());
  TraceBuilder builder(std::move(*writer), executor.worker().region());
  builder.begin(meta);
  return builder;
}

FirstRun first_run(const RunOutcome& first, const std::optional<FailureRecord>& failure) {
  const bool cut_off = first.failure && was_cut_off(*first.failure);
  return {first.evidence->inputs, failure, cut_off ? &first.evidence->choices : nullptr};
}

Result<TraceHead> finish_trace(TraceBuilder& trace, Meta meta, RunOutcome confirmed, const FirstRun& first,
                               std::vector<RaceRecord> races, Executor& executor) {
  if (!confirmed.failure) confirmed.failure = first.failure;
  confirmed.evidence->inputs = first.inputs;
  if (first.choices) confirmed.evidence->choices = *first.choices;
  return trace.finish(std::move(meta), confirmed, executor, std::move(races));
}

}  // namespace heddle
