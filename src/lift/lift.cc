#include "src/lift/lift.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "abi/record_hooks.h"
#include "src/engine/confirm.h"
#include "src/engine/ending.h"
#include "src/lift/order.h"
#include "src/show/names.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

constexpr int kMostAttempts = 8, kSlowerWithDetail = 100;
constexpr std::uint64_t kMostAccessEvents = 2'000'000, kStepsBeyond = 2'000'000;

constexpr std::chrono::seconds kAtLeast{5};
constexpr int kTimesLonger = 10;  // than the replay by places: then it does not end

/// The plain accesses of one thread in an attempt, beside those of the recording.
struct Followed {
  std::vector<std::uint32_t> sites;  // of the recording
  std::size_t at = 0;
  bool left = false;       // another one came
  std::uint32_t beyond = 0;  // the first one behind the last of the recording; 0: none
};

std::string words_of(const HeddleDivergence& divergence, std::uint64_t steps) {
  const std::string where = fmt::format("it left its schedule at step {} of {}", divergence.step, steps);
  const std::string what =
      fmt::format("thread {} is at: {}", divergence.actual_thread, kind_text(divergence.actual_kind));
  switch (divergence.reason) {
    case HEDDLE_DIV_THREAD_NOT_ENABLED:
      return fmt::format("{}, where thread {} cannot run ({})", where, divergence.expected_thread, what);
    case HEDDLE_DIV_SCHEDULE_ENDED: return fmt::format("{}, where it should have ended ({})", where, what);
    default: return fmt::format("{} ({}) {}", where, what, bounded_string(divergence.text, sizeof divergence.text));
  }
}

class Lift {
 public:
  Lift(const TraceReader& recording, const Replayer& replayer, Executor& executor, const LiftLimits& limits)
      : head_(recording.head()), replayer_(replayer), executor_(executor), limits_(limits) {}

  Result<Lifted> run(const std::filesystem::path& path);

 private:
  Status follow();
  RunRequest request(std::uint32_t detail) const;
  Result<Confirmation> attempt(const RunRequest& request, TraceBuilder& trace);
  std::optional<std::string> differs(const RunOutcome& outcome, std::uint64_t steps) const;
  /// Threads that went further than in the recording, since nothing stopped them: makes the first access there a point.
  bool stop_those_who_went_on();
  Meta meta(const RunRequest& request) const;

  const TraceHead& head_;
  const Replayer& replayer_;
  Executor& executor_;
  const LiftLimits& limits_;
  PointOrder order_;
  std::uint64_t events_ = 0;
  std::chrono::milliseconds took_{};  // by places
  int executions_ = 0;
  std::vector<Followed> followed_;  // of each thread in the last attempt
};

// By places, with all accesses: the order of everything.
Status Lift::follow() {
  RunRequest places = replayer_.request();
  places.parameters.detail = HEDDLE_DETAIL_ACCESSES;
  places.limits.total *= kSlowerWithDetail;
  bool whole = true;
  executions_++;
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<bool> enough = false;
  executor_.worker().watch(&enough);
  Result<RunOutcome> outcome = executor_.execute(places, [&](std::span<const HeddleEvent> events) {
    whole = whole && order_.add(events, limits_.most_events);
    events_ += events.size();
    enough = !whole || (limits_.stop && limits_.stop->load());
  });
  executor_.worker().watch(limits_.stop);
  if (!whole)
    return error(fmt::format("the recording has more than {} accesses and steps", limits_.most_events),
                 "record a shorter run");
  if (!outcome) return std::unexpected(outcome.error());
  if (outcome->end == RunEnd::kInterrupted) return error("interrupted");
  took_ = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  replayer_.conditions().judge(*outcome);
  if (!same_ending(head_.failure, head_.totals.steps, *outcome) && !replayer_.ended_from_outside(*outcome))
    return error("the replay of the recording diverged", "heddle replay says where");
  return {};
}

RunRequest Lift::request(std::uint32_t detail) const {
  RunRequest out = replayer_.request();
  HeddleRun& run = out.parameters;
  run.recorded = HEDDLE_RECORDED_LIFTED;
  run.point_set = HEDDLE_POINTS_RACY;
  run.time_model = HEDDLE_TIME_VIRTUAL;  // what timed out there is known from the schedule
  run.detail = detail;
  out.expect.clear();
  out.stops.clear();
  out.schedule = order_.schedule();
  out.points.assign(order_.racy().begin(), order_.racy().end());
  out.limits.total = kAtLeast + kTimesLonger * took_;
  std::uint64_t steps = 0;
  for (const HeddleSegment& segment : out.schedule) steps += segment.steps;
  run.max_steps = 100 * steps + kStepsBeyond;
  return out;
}

Meta Lift::meta(const RunRequest& request) const {
  Meta out = head_.meta;
  out.source = TraceSource::kLifted;
  out.points = HEDDLE_POINTS_RACY;
  out.detail = request.parameters.detail;
  out.racy_sites = request.points;
  out.more[meta_key::kMaxSteps] = std::to_string(request.parameters.max_steps);
  out.more[meta_key::kTimeModel] = std::to_string(request.parameters.time_model);
  return out;
}

Result<Confirmation> Lift::attempt(const RunRequest& request, TraceBuilder& trace) {
  followed_.clear();
  for (std::vector<std::uint32_t>& sites : order_.accesses()) followed_.push_back({std::move(sites)});
  executions_++;
  std::uint64_t steps = 0;
  for (const HeddleSegment& segment : request.schedule) steps += segment.steps;
  const auto differs = [&, steps](const RunOutcome& outcome) { return this->differs(outcome, steps); };
  const auto follow = [&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& e : events) {
      const std::uint32_t properties = heddle_event_properties(e.kind);
      if (!(properties & HEDDLE_P_ACCESS) || (properties & HEDDLE_P_SYNC)) continue;
      if (e.thread >= followed_.size()) continue;
      Followed& thread = followed_[e.thread];
      if (thread.at < thread.sites.size())
        thread.left = thread.left || thread.sites[thread.at++] != e.site;
      else if (!thread.left && thread.beyond == 0)
        thread.beyond = e.site;
    }
  };
  return confirm(executor_, request, {replayer_.conditions(), differs}, &trace, follow);
}

std::optional<std::string> Lift::differs(const RunOutcome& outcome, std::uint64_t steps) const {
  const HeddleDivergence& divergence = outcome.result.divergence;
  if (divergence.happened && (same_ending(head_.failure, steps, outcome) || replayer_.ended_from_outside(outcome)))
    return std::nullopt;  // it was ended from outside, or for taking too long
  if (divergence.happened) return words_of(divergence, steps);
  if (outcome.end != RunEnd::kFinished) return "it does not end";
  if (!same_ending(head_.failure, steps, outcome))
    return outcome.failure ? "it ended with " + outcome.failure->message : std::string("it did not fail");
  if (!head_.failure && outcome.wait_status != head_.wait_status) return "its exit status differs";
  if (outcome.result.steps != steps) return fmt::format("it ended after {} steps of {}", outcome.result.steps, steps);
  return std::nullopt;
}

bool Lift::stop_those_who_went_on() {
  bool found = false;
  for (const Followed& thread : followed_) {
    if (thread.beyond == 0 || order_.racy().contains(thread.beyond)) continue;
    order_.make_point(thread.beyond);
    found = true;
  }
  return found;
}

Result<Lifted> Lift::run(const std::filesystem::path& path) {
  if (Status followed = follow(); !followed) return std::unexpected(followed.error());
  const std::uint32_t detail = events_ <= kMostAccessEvents ? HEDDLE_DETAIL_ACCESSES : HEDDLE_DETAIL_POINTS;
  std::string why;
  for (int i = 0; i < kMostAttempts; i++) {
    const RunRequest points = request(detail);
    Meta meta = this->meta(points);
    Result<TraceBuilder> trace = begin_trace(path, meta, executor_);
    if (!trace) return std::unexpected(trace.error());
    Result<Confirmation> lifted = attempt(points, *trace);
    if (!lifted) return std::unexpected(lifted.error());
    if (lifted->interrupted()) return error("interrupted");
    if (!lifted->difference) {
      std::optional<FailureRecord> failure;
      if (head_.failure) failure = without_object_ids(*head_.failure);
      Result<TraceHead> head = finish_trace(*trace, std::move(meta), std::move(lifted->outcome),
                                            {head_.inputs, failure}, head_.races, executor_);
      if (!head) return std::unexpected(head.error());
      return Lifted{std::move(*head), points.points.size(), executions_};
    }
    why = std::move(*lifted->difference);
    if (!stop_those_who_went_on()) break;
  }
  return error(fmt::format("the lifted schedule did not reproduce the recording: {}", why),
               "heddle replay executes it as it was recorded");
}

}  // namespace

Error why_not_lifted(const TraceReader& trace) {
  const TraceHead& head = trace.head();
  if (head.meta.source == TraceSource::kLifted)
    return {"it is already lifted", "it can be shown and simplified as it is"};
  if (head.meta.source != TraceSource::kRecorded)
    return {"it is not a recording", "it can be shown and simplified as it is"};
  if (!trace.damage().empty()) return {trace.damage(), "heddle replay --trust replays the intact part"};
  if (has_flag(head.meta, meta_key::kCutOff))
    return {"the recording was cut off before its end", "heddle replay replays it as far as it is intact"};
  if (head.schedule.empty()) return {"it has no schedule", ""};
  return {};
}

Result<Lifted> lift(const TraceReader& recording, const Replayer& replayer, Executor& executor,
                    const LiftLimits& limits, const std::filesystem::path& path) {
  return Lift(recording, replayer, executor, limits).run(path);
}

}  // namespace heddle
