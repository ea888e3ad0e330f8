#include "tests/laws/subject.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "src/engine/replay.h"

extern char** environ;

namespace heddle::laws {
namespace {

constexpr std::uint32_t kPctDepth = 3, kPctSteps = 100;
constexpr std::uint32_t kEarly = 96;  // of 256 time-outs come early, in two of four schedules

[[noreturn]] void give_up(const std::string& name, const Error& error) {
  fmt::print("{}: {}\n", name, error.message);
  std::fflush(stdout);
  std::exit(2);
}

}  // namespace

Result<std::unique_ptr<Subject>> Subject::create(const SubjectOptions& options) {
  std::unique_ptr<Subject> subject(new Subject);
  subject->options_ = options;
  WorkerOptions worker;
  worker.launch.program = std::filesystem::absolute(options.command.front());
  worker.launch.argv = options.command;
  for (char** entry = environ; *entry; entry++) worker.launch.environment.emplace_back(*entry);
  worker.launch.preload = options.preload;
  worker.launch.cwd = std::filesystem::current_path();
  worker.launch.fork_at_mark = options.run.fork_at_mark;
  worker.ready_timeout = std::chrono::seconds(60);  // a busy machine breaks no law
  if (!options.standard_input.empty()) {
    subject->standard_input_ = Descriptor(open(options.standard_input.c_str(), O_RDONLY | O_CLOEXEC));
    if (!subject->standard_input_) return error("cannot open " + options.standard_input);
    worker.standard_input = subject->standard_input_.get();
  }
  auto executor = Executor::create(std::move(worker), std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  subject->executor_ = std::move(*executor);
  return subject;
}

std::string Subject::name() const { return std::filesystem::path(options_.command.front()).filename().string(); }

RunRequest Subject::random(std::uint64_t seed, HeddleStrategy strategy) const {
  RunRequest request;
  HeddleRun& run = request.parameters;
  options_.run.fill(run);
  run.seed = seed;
  run.strategy = strategy;
  run.time_model = HEDDLE_TIME_LOOSE;
  run.early_timeouts = seed & 2 ? kEarly : 0;
  run.point_set = HEDDLE_POINTS_SYNC;
  run.detail = kNoDetail;
  run.inspect = 1;
  run.pct_depth = kPctDepth;
  run.pct_steps = kPctSteps;
  if (run.max_steps == 0) run.max_steps = 2'000'000;
  run.pin_cpu = options_.cpu;
  request.limits = {options_.run.hang_timeout, options_.run.run_timeout};
  request.keep_evidence = true;
  return request;
}

RunRequest Subject::replay_of(const RunRequest& request, const Execution& recorded) const {
  const Evidence& evidence = *recorded.outcome.evidence;
  RunRequest replay = following(request.parameters, evidence.choices, evidence.inputs, request.points);
  replay.limits = request.limits;
  return replay;
}

Execution Subject::run(const RunRequest& request) {
  Execution execution;
  auto keep = [&](std::span<const HeddleEvent> events) {
    execution.events.insert(execution.events.end(), events.begin(), events.end());
  };
  Result<RunOutcome> outcome = executor_->execute(request, keep);
  if (!outcome) give_up(name(), outcome.error());
  execution.outcome = std::move(*outcome);
  return execution;
}

}  // namespace heddle::laws
