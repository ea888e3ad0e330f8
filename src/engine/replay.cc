#include "src/engine/replay.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "abi/inputs.h"
#include "abi/record_hooks.h"
#include "src/engine/builds.h"
#include "src/engine/confirm.h"
#include "src/engine/ending.h"
#include "src/engine/stop_table.h"
#include "src/engine/trace_builder.h"
#include "src/failure/failure.h"
#include "src/program/program.h"
#include "src/show/kind_text.h"
#include "src/show/names.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

const char* reason_text(std::uint32_t reason) {
  switch (reason) {
    case HEDDLE_DIV_THREAD_NOT_ENABLED:
      return "the thread that the schedule names cannot run here";
    case HEDDLE_DIV_OTHER_EVENT:
      return "another event happened";
    case HEDDLE_DIV_SCHEDULE_ENDED:
      return "the schedule is at its end, the program is not";
    case HEDDLE_DIV_INPUT:
      return "the program asked for another input than it was recorded with";
    case HEDDLE_DIV_OUTPUT:
      return "the program wrote something else";
    default:
      return "the replay left its schedule";
  }
}

void compose(StepText& step) {
  step.text = step.thread + " " + step.kind;
  if (!step.object.empty()) step.text += " " + step.object;
  if (!step.file.empty()) {
    step.text += fmt::format("  {}:{}", std::filesystem::path(step.file).filename().string(), step.line);
    if (!step.function.empty()) step.text += " in " + step.function;
  }
}

const SiteRecord* find_site(const TraceHead& head, std::uint32_t id) {
  auto site = std::lower_bound(head.sites.begin(), head.sites.end(), id,
                               [](const SiteRecord& s, std::uint32_t wanted) { return s.id < wanted; });
  return site != head.sites.end() && site->id == id ? &*site : nullptr;
}

std::string status_text(int wait_status) {
  if (WIFSIGNALED(wait_status)) return fmt::format("ended by signal {}", WTERMSIG(wait_status));
  return fmt::format("exit status {}", WEXITSTATUS(wait_status));
}

std::string_view variable(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool comes_from_outside(std::string_view entry, Origin origin) {
  if (entry.starts_with("LD_") || variable(entry) == "PATH") return true;
  // Which modules libc loads, and where a sanitizer writes.
  return origin == Origin::kForeign &&
         (variable(entry) == "GCONV_PATH" || variable(entry) == "LOCPATH" || variable(entry) == "GLIBC_TUNABLES" ||
          variable(entry).ends_with("SAN_OPTIONS"));
}

// Those from outside in the places of the recorded ones: a program that copies its environment allocates in its order.
std::vector<std::string> environment_of_replay(const std::vector<std::string>& recorded,
                                               const std::vector<std::string>& current, Origin origin) {
  auto in = [](const std::vector<std::string>& entries, const std::string& wanted) {
    return std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return variable(e) == variable(wanted); });
  };
  std::vector<std::string> out;
  for (const std::string& entry : recorded) {
    if (!comes_from_outside(entry, origin))
      out.push_back(entry);
    else if (auto now = in(current, entry); now != current.end())
      out.push_back(*now);
  }
  for (const std::string& entry : current)
    if (comes_from_outside(entry, origin) && in(recorded, entry) == recorded.end()) out.push_back(entry);
  return out;
}

bool carries_bytes_out(const HeddleInput& r) {
  switch (r.number) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
      return r.kind == HEDDLE_IN_SYSCALL && r.result > 0 &&
             !(r.reserved & (HEDDLE_INPUT_LEFT | HEDDLE_INPUT_UNDER_WAY));
    default:
      return false;
  }
}

/// Traces of earlier versions have no hashes of what the program wrote, or (recordings) not of all.
bool has_output_without_hash(std::string_view inputs) {
  while (inputs.size() >= sizeof(HeddleInput)) {
    HeddleInput r;
    std::memcpy(&r, inputs.data(), sizeof r);
    if (carries_bytes_out(r) && !(r.reserved & HEDDLE_INPUT_OUT)) return true;
    const std::size_t bytes = sizeof r + ((std::size_t{r.size} + 7) & ~std::size_t{7});
    if (bytes > inputs.size()) return false;
    inputs.remove_prefix(bytes);
  }
  return false;
}

std::uint64_t number(const Meta& meta, const std::string& key, std::uint64_t otherwise) {
  auto found = meta.more.find(key);
  if (found == meta.more.end()) return otherwise;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), otherwise);
  return otherwise;
}

}  // namespace

RunRequest following(HeddleRun parameters, std::vector<HeddleSegment> choices, std::string inputs,
                     std::vector<std::uint32_t> points) {
  RunRequest request;
  request.parameters = parameters;
  request.parameters.strategy = HEDDLE_STRATEGY_REPLAY;
  request.parameters.strict = 1;
  request.parameters.feed = 1;
  request.parameters.inspect = 1;
  request.schedule = std::move(choices);
  request.inputs = std::move(inputs);
  request.points = std::move(points);
  request.keep_evidence = true;
  return request;
}

Result<Replayer> Replayer::create(const TraceReader& trace, const Options& options, Origin origin) {
  const TraceHead& head = trace.head();
  Replayer replayer(trace);
  auto conditions = FailureConditions::create(value_of(head.meta, meta_key::kFailOnExit),
                                              value_of(head.meta, meta_key::kFailOnOutput));
  if (!conditions) return std::unexpected(conditions.error());
  conditions->tell_expectations(value_of(head.meta, meta_key::kGtest));
  replayer.conditions_ = std::move(*conditions);

  HeddleRun run{};
  options.fill(run);
  run.seed = head.meta.seed;
  run.run_index = head.meta.run_index;
  run.time_base_ns = head.meta.time_base_ns;
  run.virtual_cpus = head.meta.virtual_cpus;
  run.foreign = origin == Origin::kForeign;
  run.point_set = head.meta.points;
  run.detail = HEDDLE_DETAIL_CHOICES;
  run.max_steps = number(head.meta, meta_key::kMaxSteps, run.max_steps);
  run.time_model = static_cast<std::uint32_t>(number(head.meta, meta_key::kTimeModel, HEDDLE_TIME_VIRTUAL));
  run.late_signals = number(head.meta, meta_key::kSignalsAtPoints, 0) == 0;
  run.light = static_cast<std::uint32_t>(number(head.meta, meta_key::kLight, 0));
  run.fail_on_race = static_cast<std::uint32_t>(number(head.meta, meta_key::kFailOnRace, 0));
  run.fork_at_mark = static_cast<std::uint32_t>(number(head.meta, meta_key::kForkAtMark, 0));
  run.detector = run.fail_on_race || (!head.failure && !head.races.empty());  // it only observes
  replayer.request_ = following(run, head.schedule, head.inputs, head.meta.racy_sites);
  replayer.request_.limits = {options.hang_timeout, options.run_timeout};
  const bool recorded = head.meta.source == TraceSource::kRecorded;
  replayer.request_.parameters.recorded = recorded                                   ? HEDDLE_RECORDED_BY_PLACES
                                          : head.meta.source == TraceSource::kLifted ? HEDDLE_RECORDED_LIFTED
                                                                                     : HEDDLE_RECORDED_NOT;
  StopTable stops;
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& e : events) {
      if (recorded) stops.add(e);
      // Objects of a recording are numbered as threads came to them, which a replay in one row cannot repeat.
      if (e.flags & HEDDLE_EF_POINT)
        replayer.request_.expect.push_back(heddle_step_hash(e.thread, e.kind, e.site, recorded ? 0 : e.object));
    }
    return true;
  });
  if (recorded) replayer.request_.stops = stops.take();
  if (!read) return std::unexpected(read.error());
  if (Status taken = replayer.take_schedule(); !taken) return std::unexpected(taken.error());
  return replayer;
}

Status Replayer::take_schedule() {
  const TraceHead& head = trace_->head();
  std::vector<HeddleSegment>& schedule = request_.schedule;
  const auto length = [&] {
    std::uint64_t steps = 0;
    for (const HeddleSegment& segment : schedule) steps += segment.steps;
    return steps;
  };
  steps_ = length();
  const bool damaged = !trace_->damage().empty();
  cut_ = has_flag(head.meta, meta_key::kCutOff);
  if (!damaged && schedule.empty() && head.totals.steps > 0)
    return error("this trace has no schedule: it cannot be replayed");
  if (!damaged || (head.totals.steps > 0 && steps_ == head.totals.steps)) return {};
  // The table is lost, or a part of it, and the end mark too: the events say the same, as far as they go.
  cut_ = true;
  schedule.clear();
  (void)trace_->for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& e : events) {
      if (!(e.flags & HEDDLE_EF_POINT)) continue;
      if (schedule.empty() || schedule.back().thread != e.thread) schedule.push_back({e.thread, 0});
      schedule.back().steps++;
    }
    return true;
  });
  steps_ = length();
  if (steps_ == 0)
    return error("the trace is damaged, and nothing of its schedule is left: it cannot be replayed (" +
                 trace_->damage() + ")");
  request_.parameters.feed = head.inputs.empty() ? 0 : 1;  // lost: the program gets what is outside now
  return {};
}

Launch Replayer::launch(const std::filesystem::path& program,
                        const std::vector<std::string>& current_environment) const {
  const Meta& meta = trace_->head().meta;
  Launch launch;
  launch.program = program;
  // Named instead of the wrapper script that started it: it is started as the script did.
  const Result<std::string> build = build_id_of(program);
  std::optional<StartedProgram> started = started_program(meta);
  if (started && (!build || *build != started->build_id)) started.reset();
  launch.argv = started && !started->argv.empty() ? started->argv : meta.argv;
  if (launch.argv.empty()) launch.argv = {program.string()};
  const std::string cwd = started && !started->cwd.empty() ? started->cwd.string() : meta.cwd;
  launch.environment = environment_of_replay(
      started && !started->environment.empty() ? started->environment : meta.environment, current_environment,
      request_.parameters.foreign ? Origin::kForeign : Origin::kTrusted);
  std::error_code none;
  launch.cwd =
      std::filesystem::is_directory(cwd, none) ? std::filesystem::path(cwd) : std::filesystem::current_path(none);
  if (launch.cwd.empty()) launch.cwd = "/";
  if (value_of(meta, meta_key::kNetwork) == "host") launch.network = Network::kHost;
  launch.fork_at_mark = number(meta, meta_key::kForkAtMark, 0) != 0;
  return launch;
}

std::optional<HeddleEvent> Replayer::point(std::uint64_t step) const {
  std::optional<HeddleEvent> found;
  std::uint64_t at = 0;
  (void)trace_->for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& e : events)
      if ((e.flags & HEDDLE_EF_POINT) && at++ == step) {
        found = e;
        return false;
      }
    return true;
  });
  return found;
}

StepText Replayer::expected_step(std::uint64_t step) const {
  const TraceHead& head = trace_->head();
  StepText out;
  if (std::optional<HeddleEvent> e = point(step)) {
    out.thread = e->thread < head.threads.size() ? head.threads[e->thread].name : "?";
    out.kind = kind_text(e->kind);
    if (const SiteRecord* site = find_site(head, e->site))
      out.function = site->function, out.file = site->file, out.line = site->line, out.object = site->variable;
    for (const ObjectRecord& object : head.objects)
      if (e->object != 0 && object.id == e->object) out.object = object.name;
    compose(out);
    return out;
  }
  // The trace of a run that could not be executed again has a schedule, but no events.
  std::uint64_t first = 0;
  for (const HeddleSegment& segment : head.schedule) {
    if (step >= first && step - first < segment.steps && segment.thread < head.threads.size()) {
      out.thread = head.threads[segment.thread].name;
      out.text = "a step of thread " + out.thread + " (the trace has no events that say which)";
      return out;
    }
    first += segment.steps;
  }
  out.text = "the end of the run";
  return out;
}

DivergenceText Replayer::describe(const RunOutcome& outcome, Executor& executor) const {
  const HeddleDivergence& raw = outcome.result.divergence;
  DivergenceText out;
  out.step = raw.step;
  out.reason = reason_text(raw.reason);
  std::string detail = bounded_string(raw.text, sizeof raw.text);
  if (!detail.empty() && raw.reason != HEDDLE_DIV_OUTPUT) out.reason += ": " + detail;
  out.expected = expected_step(raw.step);
  const Evidence& evidence = *outcome.evidence;
  SiteResolver resolver(evidence, executor);
  SiteRecord site = resolver.resolve(raw.actual_site);
  out.actual.thread =
      raw.actual_thread < evidence.threads.size() ? thread_name(evidence.threads, raw.actual_thread) : "?";
  out.actual.kind = kind_text(raw.actual_kind);
  out.actual.function = site.function;
  out.actual.file = site.file;
  out.actual.line = site.line;
  out.actual.object = raw.actual_address ? executor.symbolizer().data_name(raw.actual_address) : "";
  if (out.actual.object.empty()) out.actual.object = site.variable;
  compose(out.actual);
  if (raw.reason == HEDDLE_DIV_OUTPUT) {
    const std::size_t end = std::min(detail.find('\n'), detail.size());
    out.expected.text += "   " + detail.substr(0, end);
    out.actual.text += "   " + detail.substr(std::min(end + 1, detail.size()));
    return out;
  }
  tell_apart(raw, site, out);
  return out;
}

/// Two different events can read the same: two accesses of one line, two locks without names. Then what differs is
/// added.
void Replayer::tell_apart(const HeddleDivergence& raw, const SiteRecord& site, DivergenceText& out) const {
  if (out.expected.text != out.actual.text) return;
  std::optional<HeddleEvent> event = point(raw.step);
  if (!event) return;
  const auto add = [&](std::string_view what, auto expected, auto actual) {
    out.expected.text += fmt::format("   ({} {})", what, expected);
    out.actual.text += fmt::format("   ({} {})", what, actual);
  };
  const SiteRecord* known = find_site(trace_->head(), event->site);
  if (event->thread != raw.actual_thread)
    add("thread number", event->thread, raw.actual_thread);
  else if (event->object != raw.actual_object)
    add("object number", event->object, raw.actual_object);
  else if (event->site != raw.actual_site && known && known->column != site.column)
    add("column", known->column, site.column);
  else if (event->site != raw.actual_site)
    add("place number", fmt::format("{:#x}", event->site), fmt::format("{:#x}", raw.actual_site));
}

bool Replayer::ended_from_outside(const RunOutcome& outcome) const {
  const TraceHead& head = trace_->head();
  return !head.failure && WIFSIGNALED(head.wait_status) && outcome.result.divergence.happened &&
         outcome.result.divergence.reason == HEDDLE_DIV_SCHEDULE_ENDED && outcome.result.steps >= head.totals.steps;
}

std::optional<DivergenceText> Replayer::ended_differently(const RunOutcome& outcome) const {
  const TraceHead& head = trace_->head();
  auto ending = [](const std::optional<FailureRecord>& f) {
    return f ? fmt::format("{}: {}", to_text(f->kind), f->message) : std::string("no failure");
  };
  const bool same = same_ending(head.failure, head.totals.steps, outcome);
  const bool exact = !cut_ && !outcome.result.divergence.happened && !(head.failure && was_cut_off(*head.failure));
  DivergenceText out;
  out.step = outcome.result.steps;
  if (same && exact && outcome.result.steps != head.totals.steps) {
    out.reason = "the program ended too early";
    out.expected.text = fmt::format("the end after {} steps", head.totals.steps);
    out.actual.text = fmt::format("the end after {} steps", outcome.result.steps);
    return out;
  }
  // The exit status leaves the program like what it writes.
  if (same && exact && !head.failure && !outcome.result.replaced && outcome.wait_status != head.wait_status) {
    out.reason = "the schedule was followed, but the program ended differently";
    out.expected.text = status_text(head.wait_status);
    out.actual.text = status_text(outcome.wait_status);
    return out;
  }
  if (same && !head.failure && !head.races.empty() && outcome.races.empty()) {
    out.reason = "the schedule was followed, but the data race was not seen again";
    out.expected.text = "a data race";
    out.actual.text = "none";
    return out;
  }
  if (same) return std::nullopt;
  out.reason = "the schedule was followed, but the program ended differently";
  out.expected.text = ending(head.failure);
  out.actual.text = ending(outcome.failure);
  return out;
}

Status Replayer::check_program(Executor& executor) const {
  const Meta& meta = trace_->head().meta;
  Worker& worker = executor.worker();
  if (Status ready = worker.prepare(); !ready) return ready;
  if (std::string wanted = value_of(meta, meta_key::kElfBuildId); !wanted.empty()) {
    std::filesystem::path elf = worker.server_executable();
    Result<ProgramInfo> info = inspect_program(elf);
    if (!info) return std::unexpected(info.error());
    if (info->build_id != wanted)
      return error(fmt::format("{} was rebuilt: its build-id differs from the trace's ({} instead of {})", elf.string(),
                               info->build_id, wanted));
  }
  return check_builds(meta, worker.server_pid());
}

void Replayer::compare(const RunOutcome& outcome, Executor& executor, ReplayReport& report) const {
  const TraceHead& head = trace_->head();
  const HeddleDivergence& divergence = outcome.result.divergence;
  report.followed_what_is_left =
      cut_ && outcome.end == RunEnd::kFinished && (!divergence.happened || divergence.step >= steps_) &&
      outcome.result.steps >= steps_ &&
      !(head.failure && outcome.failure && head.failure->signature == outcome.failure->signature);
  report.ended_from_outside = !cut_ && ended_from_outside(outcome);
  // What failed then was the new program, which is not started again.
  report.replaced = !divergence.happened && outcome.result.replaced && outcome.result.steps == head.totals.steps;
  if (report.replaced && head.failure) report.followed_what_is_left = true;
  const bool no_end = report.followed_what_is_left || report.ended_from_outside;
  if (divergence.happened && !no_end && !same_ending(head.failure, head.totals.steps, outcome))
    report.divergence = describe(outcome, executor);
  else if (!no_end)
    report.divergence = ended_differently(outcome);
}

Result<ReplayReport> Replayer::replay(Executor& executor) const {
  ReplayReport report;
  const auto differs = [&](const RunOutcome& outcome) {
    compare(outcome, executor, report);
    return report.divergence ? std::optional(report.divergence->reason) : std::nullopt;
  };
  Result<Confirmation> again = confirm(executor, request_, {conditions_, differs});
  if (!again) return std::unexpected(again.error());
  const TraceHead& head = trace_->head();
  report.outcome = std::move(again->outcome);
  report.reproduced = !again->difference && !report.followed_what_is_left;
  if (report.reproduced && head.failure && !report.outcome.failure)
    report.outcome.failure = head.failure;  // cut off where the original was
  report.failure = report.outcome.failure;
  if (has_output_without_hash(head.inputs))
    report.outcome.notes.emplace_back("output was not compared: the trace was written by an earlier version of heddle");
  return report;
}

}  // namespace heddle
