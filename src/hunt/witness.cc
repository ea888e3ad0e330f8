#include "src/hunt/witness.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/ending.h"
#include "src/engine/replay.h"
#include "src/engine/trace_builder.h"
#include "src/program/program.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMaxAccessEvents = 2'000'000;
constexpr int kSlowerWithDetail = 10;  // a run that was within its time must not be cut off for being watched

std::uint32_t trace_detail(const Options& options, std::uint64_t accesses) {
  return options.detail.bits.value_or(accesses <= kMaxAccessEvents ? kAccessesDetail : kPointsDetail);
}

void fill_meta(Meta& meta, const HuntRequest& request, const Epoch& epoch, const RunRequest& plan, bool light) {
  meta.strategy = strategy_name(pick_of(request, epoch, plan.parameters.run_index).strategy);
  meta.points = static_cast<HeddlePointSet>(plan.parameters.point_set);
  meta.seed = request.seed;
  meta.run_index = plan.parameters.run_index;
  meta.time_base_ns = plan.parameters.time_base_ns;
  meta.virtual_cpus = plan.parameters.virtual_cpus;
  meta.racy_sites = plan.points;
  // Numbers that a replay needs to end where the run ended.
  meta.more[meta_key::kMaxSteps] = std::to_string(plan.parameters.max_steps);
  meta.more[meta_key::kFailOnRace] = std::to_string(plan.parameters.fail_on_race);
  meta.more[meta_key::kForkAtMark] = std::to_string(plan.parameters.fork_at_mark);
  meta.more[meta_key::kFailOnExit] = request.conditions.exits();
  meta.more[meta_key::kFailOnOutput] = request.conditions.output();
  meta.more[meta_key::kNetwork] = request.worker.launch.network == Network::kOwn ? "own" : "host";
  if (light) set_flag(meta, meta_key::kLight);
  set_flag(meta, meta_key::kSignalsAtPoints);  // traces without it were made with late ones (HeddleRun::late_signals)
  meta.more[meta_key::kTimeModel] = std::to_string(plan.parameters.time_model);
  meta.more[meta_key::kPctDepth] = std::to_string(plan.parameters.pct_depth);
  meta.more[meta_key::kPctSteps] = std::to_string(plan.parameters.pct_steps);
}

// Behind a wrapper script: the build that matters is that of the program it executes.
void fill_builds(Meta& meta, const RunOutcome& run, const Worker& worker) {
  std::filesystem::path elf = worker.server_executable();
  if (elf.empty()) return record_builds(meta, run.evidence->modules, meta.program);  // it does not start any more
  record_builds(meta, run.evidence->modules, elf);
  record_started_program(meta, worker.server_pid(), elf);
}

/// The trace of the first execution alone: its schedule and inputs, no events.
Result<TraceHead> write_plain(const RunOutcome& first, std::string note, Meta meta, std::vector<RaceRecord> races,
                              const std::filesystem::path& path, Executor& executor) {
  Result<TraceWriter> writer = TraceWriter::create(path, executor.worker().options().seal);
  if (!writer) return std::unexpected(writer.error());
  RunOutcome original = first;
  original.complete = false;
  original.notes.push_back(std::move(note));
  return TraceBuilder(std::move(*writer), executor.worker().region())
      .finish(std::move(meta), original, executor, std::move(races));
}

/// The first execution with detail. Error: it could not be made.
Result<RunOutcome> execute_again(const HuntRequest& request, const RunOutcome& first, const RunRequest& plan,
                                 std::uint32_t detail, TraceBuilder& builder, Executor& executor) {
  RunRequest again = following(plan.parameters, first.evidence->choices, first.evidence->inputs, plan.points);
  again.parameters.light = first.light;
  again.limits = plan.limits;
  again.limits.total *= kSlowerWithDetail;
  again.parameters.detail = detail;
  Result<RunOutcome> second =
      executor.execute(again, [&](std::span<const HeddleEvent> events) { builder.on_events(events); });
  if (second) request.conditions.judge(*second);
  return second;
}

}  // namespace

Result<Witness> write_witness(const HuntRequest& request, const HuntResult& result, const FailingRun& failing,
                              Meta meta, std::vector<RaceRecord> races, const std::filesystem::path& path,
                              Executor& executor, const TimeLimit& limit) {
  const RunOutcome& first = failing.outcome;
  const Epoch& epoch = epoch_of(result, failing.index);
  const RunRequest plan = plan_run(request, epoch, failing.index);
  // A light run has seen few of its accesses.
  meta.detail = trace_detail(request.options, std::max(first.result.access_count, epoch.accesses));
  fill_meta(meta, request, epoch, plan, first.light);
  if (first.result.wrote_files || request.worker.cwd_copy) set_flag(meta, meta_key::kCwdCopy);  // who executes it again
  const Status ready = executor.worker().prepare();
  fill_builds(meta, first, executor.worker());

  std::optional<TraceBuilder> builder;
  const auto again = [&]() -> Result<RunOutcome> {
    builder.reset();
    Result<TraceWriter> writer = TraceWriter::create(path, executor.worker().options().seal);
    if (!writer) return std::unexpected(writer.error());
    builder.emplace(std::move(*writer), executor.worker().region());
    builder->begin(meta);
    if (!ready) return std::unexpected(ready.error());
    return execute_again(request, first, plan, meta.detail, *builder, executor);
  };
  Result<RunOutcome> second = again();
  // Undefined behaviour can differ from clone to clone (what lies in a variable that nobody wrote): then as it was
  // executed, with less detail.
  if (second && first.light && (meta.detail & ~kPointsDetail) && second->end != RunEnd::kInterrupted &&
      difference(first, *second)) {
    meta.detail = kPointsDetail;
    second = again();
  }
  if (!builder) return std::unexpected(second.error());
  Witness witness;
  witness.interrupted = second ? second->end == RunEnd::kInterrupted : limit.stop().load();
  witness.out_of_time = witness.interrupted && limit.time_is_up();
  if (!second && !witness.interrupted) witness.error = second.error();
  const std::optional<std::string> other =
      second ? difference(first, *second) : std::optional<std::string>("it could not be executed");
  witness.confirmed = !other;
  witness.difference = other.value_or("");
  Result<TraceHead> head;
  if (witness.confirmed) {
    if (!second->failure) second->failure = first.failure;
    second->evidence->inputs = first.evidence->inputs;
    if (was_cut_off(*first.failure)) second->evidence->choices = first.evidence->choices;
    head = builder->finish(std::move(meta), *second, executor, std::move(races));
  } else {
    head = write_plain(first,
                       witness.out_of_time   ? "this run was not executed again: the time of the hunt was used up"
                       : witness.interrupted ? "this run was not executed again: the hunt was interrupted"
                       : witness.error     ? "this run could not be executed again: " + witness.error->message
                                       : "executed again, this run did not fail in the same way: " + witness.difference,
                       std::move(meta), std::move(races), path, executor);
  }
  if (!head) return std::unexpected(head.error());
  witness.head = std::move(*head);
  return witness;
}

Result<TraceHead> write_race_trace(const HuntRequest& request, const HuntResult& result, std::uint64_t index, Meta meta,
                                   std::vector<RaceRecord> races, const std::filesystem::path& path,
                                   Executor& executor) {
  const Epoch& epoch = epoch_of(result, index);
  RunRequest run = plan_run(request, epoch, index);
  run.keep_evidence = true;
  run.parameters.detail = meta.detail = trace_detail(request.options, 0);
  fill_meta(meta, request, epoch, run, false);
  if (Status ready = executor.worker().prepare(); !ready) return std::unexpected(ready.error());
  Result<TraceWriter> writer = TraceWriter::create(path, executor.worker().options().seal);
  if (!writer) return std::unexpected(writer.error());
  TraceBuilder builder(std::move(*writer), executor.worker().region());
  builder.begin(meta);
  Result<RunOutcome> outcome =
      executor.execute(run, [&](std::span<const HeddleEvent> events) { builder.on_events(events); });
  if (!outcome) return std::unexpected(outcome.error());
  request.conditions.judge(*outcome);
  if (outcome->end == RunEnd::kInterrupted) return error("the run with the data race was not repeated: interrupted");
  if (outcome->end != RunEnd::kFinished || outcome->failure || !outcome->evidence)
    return error("executed again, the run with the data race did not end as before");
  if (outcome->races.empty()) return error("executed again, the run did not show its data race");
  fill_builds(meta, *outcome, executor.worker());
  return builder.finish(std::move(meta), *outcome, executor, std::move(races));
}

Result<TraceHead> write_seen_race_trace(const HuntRequest& request, const HuntResult& result, std::uint64_t index,
                                        Meta meta, std::vector<RaceRecord> races, std::string why,
                                        const std::filesystem::path& path, Executor& executor) {
  const RunOutcome& seen = result.race_runs.at(index);
  const Epoch& epoch = epoch_of(result, index);
  meta.detail = kNoDetail;
  fill_meta(meta, request, epoch, plan_run(request, epoch, index), false);
  if (seen.result.wrote_files || request.worker.cwd_copy) set_flag(meta, meta_key::kCwdCopy);
  fill_builds(meta, seen, executor.worker());
  return write_plain(seen, std::move(why), std::move(meta), std::move(races), path, executor);
}

}  // namespace heddle
