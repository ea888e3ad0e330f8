#include "src/hunt/witness.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/engine/builds.h"
#include "src/engine/confirm.h"
#include "src/engine/replay.h"
#include "src/program/program.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMaxAccessEvents = 2'000'000;
constexpr int kSlowerWithDetail = 10;  // a run that was within its time must not be cut off for being watched

std::uint32_t trace_detail(const Options& options, std::uint64_t accesses) {
  switch (options.detail) {
    case Options::Detail::kPoints:
      return HEDDLE_DETAIL_POINTS;
    case Options::Detail::kAccesses:
      return HEDDLE_DETAIL_ACCESSES;
    case Options::Detail::kBranches:
      return HEDDLE_DETAIL_BRANCHES;
    case Options::Detail::kAuto:
      break;
  }
  return accesses <= kMaxAccessEvents ? HEDDLE_DETAIL_ACCESSES : HEDDLE_DETAIL_POINTS;
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

/// The first execution with detail.
RunRequest repeated(const RunOutcome& first, const RunRequest& plan, std::uint32_t detail) {
  RunRequest again = following(plan.parameters, first.evidence->choices, first.evidence->inputs, plan.points);
  again.parameters.light = first.light;
  again.limits = plan.limits;
  again.limits.total *= kSlowerWithDetail;
  again.parameters.detail = detail;
  return again;
}

std::string why_no_events(const Witness& witness) {
  if (witness.out_of_time) return "this run was not executed again: the time of the hunt was used up";
  if (witness.interrupted) return "this run was not executed again: the hunt was interrupted";
  if (witness.error) return "this run could not be executed again: " + witness.error->message;
  return "executed again, this run did not fail in the same way: " + witness.difference;
}

std::optional<std::string> shows_no_race(const RunOutcome& outcome) {
  if (outcome.end != RunEnd::kFinished || outcome.failure) return "the run with the data race did not end as before";
  if (outcome.races.empty()) return "the run did not show its data race";
  return std::nullopt;
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

  std::optional<TraceBuilder> trace;
  const auto again = [&]() -> Result<Confirmation> {
    trace.reset();
    Result<TraceBuilder> begun = begin_trace(path, meta, executor);
    if (!begun) return std::unexpected(begun.error());
    trace.emplace(std::move(*begun));
    if (!ready) return std::unexpected(ready.error());
    return confirm(executor, repeated(first, plan, meta.detail), {request.conditions, same_as(first)}, &*trace);
  };
  Result<Confirmation> second = again();
  // Undefined behaviour can differ from clone to clone (what lies in a variable that nobody wrote): then as it was
  // executed, with less detail.
  if (second && first.light && meta.detail >= HEDDLE_DETAIL_ACCESSES && !second->interrupted() && second->difference) {
    meta.detail = HEDDLE_DETAIL_POINTS;
    second = again();
  }
  if (!trace) return std::unexpected(second.error());
  Witness witness;
  witness.interrupted = second ? second->interrupted() : limit.stop().load();
  witness.out_of_time = witness.interrupted && limit.time_is_up();
  if (!second && !witness.interrupted) witness.error = second.error();
  const std::optional<std::string> other =
      second ? second->difference : std::optional<std::string>("it could not be executed");
  witness.confirmed = !other;
  witness.difference = other.value_or("");
  Result<TraceHead> head;
  if (witness.confirmed) {
    head = finish_trace(*trace, std::move(meta), std::move(second->outcome), first_run(first, first.failure),
                        std::move(races), executor);
  } else {
    head = write_plain(first, why_no_events(witness), std::move(meta), std::move(races), path, executor);
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
  Result<TraceBuilder> trace = begin_trace(path, meta, executor);
  if (!trace) return std::unexpected(trace.error());
  Result<Confirmation> again = confirm(executor, run, {request.conditions, shows_no_race}, &*trace);
  if (!again) return std::unexpected(again.error());
  if (again->interrupted()) return error("the run with the data race was not repeated: interrupted");
  if (again->difference) return error("executed again, " + *again->difference);
  fill_builds(meta, again->outcome, executor.worker());
  return trace->finish(std::move(meta), again->outcome, executor, std::move(races));
}

Result<TraceHead> write_seen_race_trace(const HuntRequest& request, const HuntResult& result, std::uint64_t index,
                                        Meta meta, std::vector<RaceRecord> races, std::string why,
                                        const std::filesystem::path& path, Executor& executor) {
  const RunOutcome& seen = result.race_runs.at(index);
  const Epoch& epoch = epoch_of(result, index);
  meta.detail = HEDDLE_DETAIL_CHOICES;
  fill_meta(meta, request, epoch, plan_run(request, epoch, index), false);
  if (seen.result.wrote_files || request.worker.cwd_copy) set_flag(meta, meta_key::kCwdCopy);
  fill_builds(meta, seen, executor.worker());
  return write_plain(seen, std::move(why), std::move(meta), std::move(races), path, executor);
}

}  // namespace heddle
