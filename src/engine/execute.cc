#include "src/engine/execute.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/wait.h>

#include "src/engine/stopped.h"
#include "src/failure/failure.h"

namespace heddle {
namespace {

constexpr std::uint64_t kTrimEvery = 32;

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

// Lines of the notes area: NUL-terminated, one after the other.
std::vector<std::string> split_notes(const std::string& area) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < area.size();) {
    std::size_t end = std::min(area.find('\0', at), area.size());
    if (end > at) out.push_back(area.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void set_text(char* field, std::size_t size, const std::string& text) {
  std::size_t n = std::min(size - 1, text.size());
  std::memcpy(field, text.data(), n);
  field[n] = 0;
}

// The record that the child could not write because it was cut off by us.
void describe_stuck(HeddleResult& result, RunEnd why, const RunLimits& limits) {
  HeddleFailure& failure = result.failure;
  if (failure.kind != HEDDLE_FAIL_NONE) return;
  failure.kind = why == RunEnd::kHang ? HEDDLE_FAIL_HANG : HEDDLE_FAIL_LIVELOCK;
  set_text(failure.message, sizeof failure.message,
           why == RunEnd::kHang
               ? fmt::format("no scheduling point was reached for {} s", limits.hang.count() / 1000.0)
               : fmt::format("not finished after {} s and {} steps", limits.total.count() / 1000.0, result.steps));
}

// What the answer of a run of an unmodified binary is worth.
std::string describe_preloaded(const std::filesystem::path& program, const HeddleResult& result) {
  const std::string name = program.filename().string();
  if (result.module_count > 0)
    return fmt::format(
        "{} was not built by heddle cc, but {} of its libraries {}: in the rest of it only "
        "synchronisation calls are controlled",
        name, result.module_count, result.module_count == 1 ? "was" : "were");
  return fmt::format(
      "{} was not built by heddle cc: only its synchronisation calls are controlled; plain accesses and "
      "atomics are not points, and data races are not seen",
      name);
}

// `enabled` is not known when the thread that runs now has changed something since the last choice.
bool could_run(const HeddleThreadInfo& thread, std::uint32_t enabled) {
  if (thread.state == HEDDLE_T_OUT || enabled > 1) return true;
  return enabled == 0 && thread.state == HEDDLE_T_PENDING && thread.pending_kind != HEDDLE_EV_THREAD_JOIN;
}

}  // namespace

Result<std::unique_ptr<Executor>> Executor::create(WorkerOptions options, std::shared_ptr<SiteCache> sites) {
  auto worker = Worker::create(std::move(options));
  if (!worker) return std::unexpected(worker.error());
  std::unique_ptr<Executor> executor(new Executor);
  executor->worker_ = std::move(*worker);
  executor->sites_ = std::move(sites);
  return executor;
}

Symbolizer& Executor::symbolizer() {
  if (!symbolizer_) symbolizer_ = std::make_unique<Symbolizer>();
  // Without a stopped child the server's map is the best there is (no modules loaded later by dlopen).
  if (pid_t server = worker_->server_pid(); attached_ == 0 && server > 0 && symbolizer_->attach(server))
    attached_ = server;
  return *symbolizer_;
}

Status write_request(Region& region, const RunRequest& request) {
  bool fits = region.fill(HEDDLE_AREA_SCHEDULE, {bytes_of(request.schedule)}) &&
              region.fill(HEDDLE_AREA_EXPECT, {bytes_of(request.expect)}) &&
              region.fill(HEDDLE_AREA_POINTS, {bytes_of(request.points)}) &&
              region.fill(HEDDLE_AREA_STOPS, {bytes_of(request.stops)}) &&
              region.fill(HEDDLE_AREA_INPUTS_IN, {std::as_bytes(std::span(request.inputs))}) &&
              write_targets(region, request.targets) && write_guide(region, request.guide);
  if (!fits) return error("the schedule or the inputs of this run are too large to be given to the program");
  HeddleRun run = request.parameters;
  run.schedule_count = request.schedule.size();
  run.expect_count = request.expect.size();
  run.point_count = request.points.size();
  run.stop_count = request.stops.size();
  run.input_bytes = request.inputs.size();
  region.header().run = run;
  return {};
}

Evidence evidence_of(const Region& region) {
  const HeddleResult result = region.header().result;
  Evidence evidence;
  evidence.threads = region.copy<HeddleThreadInfo>(HEDDLE_AREA_THREADS, result.thread_count, HEDDLE_MAX_THREADS);
  evidence.objects = region.copy<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS, result.object_count);
  evidence.choices = region.copy<HeddleSegment>(HEDDLE_AREA_CHOICES, result.choice_count);
  evidence.pcs = region.copy<HeddlePc>(HEDDLE_AREA_PCS, result.pc_count);
  evidence.modules = region.copy<HeddleModuleInfo>(HEDDLE_AREA_MODULES, result.module_count);
  evidence.stack_words = region.copy<std::uint64_t>(HEDDLE_AREA_STACKS, result.stack_words);
  evidence.inputs = region.copy_bytes(HEDDLE_AREA_INPUTS_OUT, result.input_bytes);
  evidence.payloads = region.copy_bytes(HEDDLE_AREA_PAYLOADS, result.payload_bytes);
  return evidence;
}

Evidence Executor::copy_evidence() const { return evidence_of(worker_->region()); }

std::vector<std::string> notes_of(const Region& region) {
  return split_notes(region.copy_bytes(HEDDLE_AREA_NOTES, region.header().result.note_bytes));
}

std::optional<FailureRecord> Executor::classify_now(pid_t stopped_child, int wait_status, const HeddleResult& result) {
  const Region& region = worker_->region();
  auto threads = region.copy<HeddleThreadInfo>(HEDDLE_AREA_THREADS, result.thread_count, HEDDLE_MAX_THREADS);
  auto objects = region.copy<HeddleObjectInfo>(HEDDLE_AREA_OBJECTS, result.object_count);
  auto stacks = region.copy<std::uint64_t>(HEDDLE_AREA_STACKS, result.stack_words);
  stopped_child = task_with_memory(stopped_child);
  if (stopped_child > 0) {
    if (!symbolizer_) symbolizer_ = std::make_unique<Symbolizer>();
    if (symbolizer_->attach(stopped_child)) attached_ = stopped_child;
  }
  RunEvidence evidence;
  evidence.result = &result;
  evidence.threads = threads;
  evidence.objects = objects;
  evidence.stack_words = stacks;
  evidence.pid = stopped_child;
  evidence.symbolizer = &symbolizer();
  return classify(evidence, wait_status);
}

void Executor::classify_stuck(pid_t child, RunEnd why, RunOutcome& outcome) {
  Stopped stopped(child);
  HeddleResult result = worker_->region().header().result;
  auto threads = worker_->region().copy<HeddleThreadInfo>(HEDDLE_AREA_THREADS, result.thread_count, HEDDLE_MAX_THREADS);
  if (worker_->region().header().run.backend == HEDDLE_BACKEND_PARALLEL) {  // nobody counts all of them
    result.steps = 0;
    for (const HeddleThreadInfo& thread : threads) result.steps += thread.steps;
  }
  describe_stuck(result, why, limits_);
  if (auto running = stopped.running(threads); running && !result.failure.has_regs) {
    result.failure.thread = running->index;
    result.failure.regs = running->regs;
    result.failure.has_regs = 1;
  }
  outcome.failure = classify_now(child, -1, result);
  if (why == RunEnd::kHang) escape_ = spinning(result, threads, outcome.failure);
}

// In code that was not built by heddle cc (the whole program, or a library of it) a loop without a synchronisation call
// cannot be left. While others could run, it may be waiting for them: then the hang is ours, not the program's. A hang,
// like a livelock, is a claim about fair schedules.
std::optional<Error> Executor::spinning(const HeddleResult& result, const std::vector<HeddleThreadInfo>& threads,
                                        const std::optional<FailureRecord>& seen) {
  if (!result.failure.has_regs || !seen) return std::nullopt;
  const bool others =
      std::ranges::any_of(threads, [&](const HeddleThreadInfo& thread) { return could_run(thread, result.enabled); });
  if (!others && result.signals == 0) return std::nullopt;
  std::string where = seen->function.empty() ? fmt::format("at address {:#x}", result.failure.regs.rip)
                                             : fmt::format("in {}", seen->function);
  if (!seen->file.empty())
    where += fmt::format(" ({}:{})", std::filesystem::path(seen->file).filename().string(), seen->line);
  return Error{
      fmt::format("{} was not built by heddle cc, and {} thread {} spins {}: for {} s without a synchronisation call, "
                  "while {}. A loop on plain memory or inline atomics cannot be left by heddle, so "
                  "this run says nothing about the program",
                  result.preloaded ? worker_->server_executable().filename().string() : "a part of the program",
                  result.preloaded ? "its" : "there", seen->thread, where, limits_.hang.count() / 1000.0,
                  others ? "other threads could run" : "a signal or a cancellation waits for it"),
      "build it with heddle cc, where such loops are controlled; or, if it computes that long, --hang-timeout 60s"};
}

Result<RunOutcome> Executor::execute(const RunRequest& request,
                                     std::function<void(std::span<const HeddleEvent>)> on_events,
                                     std::function<void(std::span<const HeddleDecision>)> on_decisions) {
  if (Status ready = worker_->prepare(); !ready) return std::unexpected(ready.error());
  if (++runs_ % kTrimEvery == 0) worker_->region().trim();
  if (Status written = write_request(worker_->region(), request); !written) return std::unexpected(written.error());
  limits_ = request.limits;
  RunOutcome outcome;
  RunHooks hooks;
  hooks.on_events = std::move(on_events);
  hooks.on_decisions = std::move(on_decisions);
  hooks.on_stopped = [&](pid_t child) {
    HeddleResult result = worker_->region().header().result;
    outcome.failure = classify_now(child, -1, result);
  };
  hooks.on_stuck = [&](pid_t child, RunEnd why) { classify_stuck(child, why, outcome); };
  if (Status client = worker_->start_client(); !client) return std::unexpected(client.error());
  escape_.reset();
  RunStatus status = worker_->run(hooks, request.limits);
  if (escape_) return std::unexpected(*escape_);

  const Region& region = worker_->region();
  outcome.result = region.header().result;
  if (std::string why = bounded_string(outcome.result.escape, sizeof outcome.result.escape); !why.empty())
    return error(fmt::format("{} cannot be controlled: {}", worker_->options().launch.program.string(), why),
                 "docs/control.md says what is controlled");
  outcome.end = status.end;
  outcome.light = request.parameters.light != 0;
  outcome.wait_status = status.wait_status;
  outcome.output = std::move(status.output);
  outcome.complete = outcome.result.overflow == 0 && outcome.result.cut_off == 0 && !status.ring_broken &&
                     (status.end == RunEnd::kFinished || status.end == RunEnd::kClientEnded);
  outcome.races = region.copy<HeddleRace>(HEDDLE_AREA_RACES, outcome.result.race_count);
  if (outcome.result.preloaded)
    outcome.notes.push_back(describe_preloaded(worker_->server_executable(), outcome.result));
  for (std::string& note : notes_of(region)) outcome.notes.push_back(std::move(note));
  outcome.notes.insert(outcome.notes.end(), worker_->shortcomings().begin(), worker_->shortcomings().end());
  if (status.leftovers > 0)
    outcome.notes.push_back(fmt::format("{} process(es) that the run left behind were killed", status.leftovers));
  for (int number = 1; number < 64; number++)
    if (status.passed_on >> (number - 1) & 1)
      outcome.notes.push_back(fmt::format("SIG{} was forwarded to the program", sigabbrev_np(number)));
  if (status.client_status != 0)
    outcome.notes.push_back(fmt::format(
        "the client ended with {} {}", WIFSIGNALED(status.client_status) ? "signal" : "status",
        WIFSIGNALED(status.client_status) ? WTERMSIG(status.client_status) : WEXITSTATUS(status.client_status)));
  // A run that diverged, or that we asked to stop, was ended by us: its status says nothing about the program.
  outcome.stopped_by_us =
      status.end == RunEnd::kClientEnded ||
      (status.asked_to_stop && WIFSIGNALED(status.wait_status) && WTERMSIG(status.wait_status) == SIGTERM);
  bool ended_well = outcome.result.divergence.happened || outcome.stopped_by_us ||
                    (WIFEXITED(status.wait_status) && WEXITSTATUS(status.wait_status) == 0);
  if (!outcome.failure && status.end != RunEnd::kInterrupted &&
      (outcome.result.failure.kind != HEDDLE_FAIL_NONE || !ended_well))
    outcome.failure = classify_now(0, status.wait_status, outcome.result);
  if (outcome.failure || request.keep_evidence || outcome.result.divergence.happened)
    outcome.evidence = copy_evidence();
  return outcome;
}

}  // namespace heddle
