#include "src/simplify/write.h"

#include <fmt/format.h>

#include "src/engine/confirm.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

constexpr int kSlowerWithDetail = 10;

}  // namespace

Result<TraceHead> write_simplified(const Trials& trials, const Trial& best, const FailureConditions& conditions,
                                   const TraceHead& original, const std::filesystem::path& path, Executor& executor) {
  Meta meta = original.meta;
  set_flag(meta, meta_key::kSimplified);
  Result<TraceBuilder> trace = begin_trace(path, meta, executor);
  if (!trace) return std::unexpected(trace.error());
  RunRequest request = trials.again(best);
  request.limits.total *= kSlowerWithDetail;
  request.parameters.detail = meta.detail;
  Result<Confirmation> again = confirm(executor, request, {conditions, same_as(best.outcome)}, &*trace);
  if (!again) return std::unexpected(again.error());
  if (again->difference)
    return error(
        fmt::format("the simplified schedule was not reproduced: {}; nothing was written", *again->difference),
        "the program depends on something that is not controlled: docs/control.md");
  const std::optional<FailureRecord> failure = without_object_ids(*best.outcome.failure);
  return finish_trace(*trace, std::move(meta), std::move(again->outcome), first_run(best.outcome, failure),
                      original.races, executor);
}

}  // namespace heddle
