#include "src/simplify/write.h"

#include <fmt/format.h>

#include "src/engine/ending.h"
#include "src/engine/replay.h"
#include "src/engine/trace_builder.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

constexpr int kSlowerWithDetail = 10;

}  // namespace

Result<TraceHead> write_simplified(const Trials& trials, const Trial& best, const FailureConditions& conditions,
                                   const TraceHead& original, const std::filesystem::path& path, Executor& executor) {
  Meta meta = original.meta;
  set_flag(meta, meta_key::kSimplified);
  Result<TraceWriter> writer = TraceWriter::create(path, executor.worker().options().seal);
  if (!writer) return std::unexpected(writer.error());
  TraceBuilder builder(std::move(*writer), executor.worker().region());
  builder.begin(meta);
  RunRequest request = trials.again(best);
  request.limits.total *= kSlowerWithDetail;
  request.parameters.detail = meta.detail;
  Result<RunOutcome> again =
      executor.execute(request, [&](std::span<const HeddleEvent> events) { builder.on_events(events); });
  if (!again) return std::unexpected(again.error());
  conditions.judge(*again);
  if (std::optional<std::string> other = difference(best.outcome, *again))
    return error(fmt::format("the simplified schedule was not reproduced: {}; nothing was written", *other),
                 "the program depends on something that is not controlled: docs/control.md");
  if (!again->evidence) again->evidence = executor.copy_evidence();
  if (!again->failure) again->failure = without_object_ids(*best.outcome.failure);
  again->evidence->inputs = best.outcome.evidence->inputs;
  if (was_cut_off(*best.outcome.failure)) again->evidence->choices = best.outcome.evidence->choices;
  return builder.finish(std::move(meta), *again, executor, original.races);
}

}  // namespace heddle
