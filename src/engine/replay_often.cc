#include "src/engine/replay_often.h"

#include "src/failure/same_failure.h"

namespace heddle {

Result<Replays> replay_often(Session& session, std::uint64_t times) {
  const TraceHead& head = session.trace().head();
  Replays replays;
  for (std::uint64_t i = 0; i < times; i++) {
    Result<ReplayReport> report = session.replayer().replay(session.executor());
    const std::atomic<bool>* stop = session.worker().stop;
    if (stop && *stop) return replays;
    if (!report) return std::unexpected(report.error());
    // A replay keeps no stacks of events, from which the trace knows what locks are called.
    if (report->reproduced && report->failure && report->failure->kind == HEDDLE_FAIL_DEADLOCK && head.failure &&
        same_failure(*report->failure, *head.failure))
      report->failure = head.failure;
    (report->reproduced ? replays.reproduced : report->followed_what_is_left ? replays.cut : replays.diverged)++;
    if (!replays.shown || !replays.shown->divergence) replays.shown = std::move(*report);
  }
  return replays;
}

}  // namespace heddle
