#include "src/engine/session.h"

#include "src/engine/open_trace.h"
#include "src/engine/program_of_trace.h"
#include "src/engine/trust.h"
#include "src/engine/way_in.h"

namespace heddle {

Result<Session> Session::open(const SessionTask& task) {
  Result<TraceReader> trace = open_trace(task.trace);
  if (!trace) return std::unexpected(trace.error());
  return open(std::move(*trace), task);
}

Result<Session> Session::open(TraceReader trace, const SessionTask& task) {
  const User& user = task.user;
  if (Status may = may_be_executed(trace, {task.verb, task.trace, task.trust, task.program, user.key_file}); !may)
    return std::unexpected(may.error());
  const Result<ProgramInfo> program = program_of_trace(task.program.empty() ? "" : task.program.front(),
                                                       trace.head().meta, user.environment, task.verb, task.trace);
  if (!program) return std::unexpected(program.error());
  const bool trusted = task.trust || is_own_trace(trace, task.trace, user.key_file);
  auto parts = std::make_unique<Parts>(std::move(trace));
  const Meta& meta = parts->trace.head().meta;
  Result<Replayer> replayer =
      Replayer::create(parts->trace, task.engine, trusted ? Origin::kTrusted : Origin::kForeign);
  if (!replayer) return std::unexpected(replayer.error());
  parts->replayer.emplace(std::move(*replayer));
  WorkerOptions& worker = parts->worker;
  worker.launch = parts->replayer->launch(program->path, user.environment);
  if (Status way = choose_way_in(*program, worker.launch); !way) return std::unexpected(way.error());
  worker.output = OutputMode::kCapture;
  worker.ready_timeout = task.engine.ready_timeout;
  worker.stop = task.stop;
  if (task.writes_traces && user.key_for_new_traces) worker.seal = user.key_for_new_traces();
  Result<StandardInput> input = standard_input_of(meta.standard_input);
  if (!input) return std::unexpected(input.error());
  parts->input.emplace(std::move(*input));
  if (meta.has_standard_input) worker.standard_input = parts->input->file.get();
  return Session(std::move(parts));
}

Status Session::start() {
  Result<std::unique_ptr<Executor>> executor = Executor::create(parts_->worker, parts_->sites);
  if (!executor) return std::unexpected(executor.error());
  parts_->executor = std::move(*executor);
  return parts_->replayer->check_program(*parts_->executor);
}

}  // namespace heddle
