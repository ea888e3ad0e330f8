#include "src/record/record.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/stop_table.h"
#include "src/engine/trace_builder.h"

namespace heddle {
namespace {

constexpr std::chrono::hours kNoHang{24 * 365};  // a program may compute without a step for as long as it likes
constexpr std::size_t kBlock = 1u << 16;

RunRequest plan(const Options& options) {
  RunRequest request;
  HeddleRun& run = request.parameters;
  options.fill(run);
  run.strategy = HEDDLE_STRATEGY_RANDOM;
  run.backend = HEDDLE_BACKEND_PARALLEL;
  run.point_set = HEDDLE_POINTS_SYNC;
  run.detail = HEDDLE_DETAIL_CHOICES;
  run.inspect = 1;
  run.pin_cpu = -1;
  run.max_steps = 0;
  run.virtual_cpus = std::max(1u, std::thread::hardware_concurrency());
  run.time_base_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
  request.limits = {kNoHang, options.run_timeout};
  request.keep_evidence = true;
  return request;
}

// A thread that ended the process took its last step before that; what others did beside it afterwards has no influence
// on it, and a replay, where it goes on at once, does not get that far.
std::uint64_t steps_that_count(std::span<const HeddleStep> steps, const RunOutcome& outcome) {
  const HeddleResult& result = outcome.result;
  std::uint32_t last = result.failure.kind != HEDDLE_FAIL_NONE ? result.failure.thread + 1 : result.exit_thread;
  if (last == 0 || result.failure.kind == HEDDLE_FAIL_DEADLOCK) return steps.size();
  for (std::uint64_t i = steps.size(); i > 0; i--)
    if (steps[i - 1].thread == last - 1) return i;
  return steps.size();
}

// Streams the log to `sink` as events and makes the schedule of it.
template <class Sink>
void convert(std::span<const HeddleStep> steps, RunOutcome& outcome, const Sink& sink) {
  std::vector<HeddleSegment>& schedule = outcome.evidence->choices;
  schedule.clear();
  HeddleResult& result = outcome.result;
  result.switches = result.preemptions = 0;
  std::vector<HeddleEvent> block;
  for (const HeddleStep& step : steps) {
    HeddleEvent event{};
    event.thread = step.thread;
    event.kind = step.kind;
    event.site = step.site;
    event.object = step.object;
    event.flags = HEDDLE_EF_POINT;
    if (step.kind == HEDDLE_EV_HANDOVER) {
      event.flags |= HEDDLE_EF_VALUE;
      event.value = step.hooks;
    }
    if (schedule.empty() || schedule.back().thread != step.thread) {
      if (!schedule.empty()) {
        event.flags |= HEDDLE_EF_SWITCH;
        result.switches++;
        if (step.kind == HEDDLE_EV_HANDOVER) event.flags |= HEDDLE_EF_PREEMPTED, result.preemptions++;
      }
      schedule.push_back({step.thread, 0});
    }
    schedule.back().steps++;
    block.push_back(event);
    if (block.size() == kBlock) sink(block), block.clear();
  }
  sink(block);
  result.steps = steps.size();
}

void fill_meta(Meta& meta, const RunRequest& run, const RunOutcome& outcome, const Worker& worker) {
  meta.strategy = kRecordedStrategy;
  meta.points = "sync";
  meta.detail = HEDDLE_DETAIL_POINTS;
  meta.time_base_ns = run.parameters.time_base_ns;
  meta.virtual_cpus = run.parameters.virtual_cpus;
  meta.more["max_steps"] = "0";
  meta.more["network"] = worker.options().launch.network == Network::kOwn ? "own" : "host";
  const std::filesystem::path elf = worker.server_executable();
  record_builds(meta, outcome.evidence->modules, elf);
  record_started_program(meta, worker.server_pid(), elf);
}

}  // namespace

Result<Recorded> record(const RecordRequest& request, Meta meta) {
  WorkerOptions options = request.worker;
  options.region_file = request.trace;
  auto executor = Executor::create(options, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  const RunRequest run = plan(request.options);
  const auto start = std::chrono::steady_clock::now();
  Result<RunOutcome> outcome = (*executor)->execute(run);
  if (!outcome) return std::unexpected(outcome.error());
  Recorded recorded;
  recorded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const Region& region = (*executor)->worker().region();
  std::span<const HeddleStep> steps = region.live<HeddleStep>(HEDDLE_AREA_STEPS);
  steps = steps.first(std::min<std::uint64_t>(steps.size(), outcome->result.steps));
  steps = steps.first(steps_that_count(steps, *outcome));
  if (!outcome->evidence) outcome->evidence = (*executor)->copy_evidence();
  fill_meta(meta, run, *outcome, (*executor)->worker());
  Result<TraceWriter> writer = TraceWriter::create(request.trace);
  if (!writer) return std::unexpected(writer.error());
  TraceBuilder builder(std::move(*writer), region);
  builder.begin(meta);
  convert(steps, *outcome, [&](std::span<const HeddleEvent> events) { builder.on_events(events); });
  auto head = builder.finish(std::move(meta), *outcome, **executor, {});
  if (!head) return std::unexpected(head.error());
  recorded.head = std::move(*head);
  recorded.outcome = std::move(*outcome);
  return recorded;
}

}  // namespace heddle
