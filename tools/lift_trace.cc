#include "tools/lift_trace.h"

#include <chrono>

#include <fmt/format.h>

#include "tools/describe_run.h"
#include "tools/find_program.h"
#include "tools/open_trace.h"
#include "tools/program_of_trace.h"
#include "tools/terminal.h"
#include "tools/trust.h"
#include "tools/way_in.h"

namespace heddle {
namespace {

using Trouble = std::unexpected<LiftTrouble>;
Trouble bad_input(const Error& error) { return Trouble(LiftTrouble{error, true}); }
Trouble could_not(const Error& error) { return Trouble(LiftTrouble{error, false}); }

}  // namespace

std::expected<LiftAnswer, LiftTrouble> lift_trace(const LiftTask& task) {
  const auto begin = std::chrono::steady_clock::now();
  auto trace = open_trace(task.trace);
  if (!trace) return bad_input(trace.error());
  if (Error why = why_not_lifted(*trace); !why.message.empty())
    return bad_input({fmt::format("{} cannot be lifted: {}", task.trace, why.message), why.advice});
  const Meta& meta = trace->head().meta;
  if (Status may = may_be_executed(*trace, {"lift", task.trace, task.trust, task.program}); !may)
    return bad_input(may.error());
  auto program = program_of_trace(task.program.empty() ? "" : task.program.front(), meta, "lift", task.trace);
  if (!program) return bad_input(program.error());
  auto replayer = Replayer::create(*trace, task.engine, origin_of(*trace, task.trace, task.trust));
  if (!replayer) return bad_input(replayer.error());
  WorkerOptions worker;
  worker.launch = replayer->launch(program->path, current_environment());
  if (Status way = choose_way_in(*program, worker.launch); !way) return bad_input(way.error());
  worker.output = OutputMode::kCapture;
  worker.ready_timeout = task.engine.ready_timeout;
  worker.stop = task.stop;
  worker.seal = key_for_new_traces();
  auto input = standard_input_of(meta.standard_input);
  if (!input) return bad_input(input.error());
  if (meta.has_standard_input) worker.standard_input = input->file.get();
  auto executor = Executor::create(worker, std::make_shared<SiteCache>());
  if (!executor) return bad_input(executor.error());
  if (Status same = replayer->check_program(**executor); !same) return bad_input(same.error());
  LiftLimits limits = task.limits;
  limits.stop = task.stop;
  auto lifted = lift(*trace, *replayer, **executor, limits, task.output);
  if (!lifted) return could_not(lifted.error());
  return LiftAnswer{std::move(*lifted),
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

std::filesystem::path lifted_beside(const std::filesystem::path& trace) {
  std::filesystem::path out = trace;
  out.replace_filename(trace.stem().string() + ".lifted.heddle");
  return out;
}

std::optional<std::filesystem::path> known_lifted(const LiftTask& task, const TraceReader& recording) {
  const std::filesystem::path file = lifted_beside(task.trace);
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return std::nullopt;
  auto lifted = TraceReader::open(file);
  if (!lifted || !lifted->damage().empty() || !is_own_trace(*lifted, file.string())) return std::nullopt;
  const Meta &of = recording.head().meta, &found = lifted->head().meta;
  if (found.source != TraceSource::kLifted || found.time_base_ns != of.time_base_ns || found.build_id != of.build_id ||
      found.argv != of.argv)
    return std::nullopt;
  return file;
}

std::expected<LiftedForm, LiftTrouble> lifted_form(LiftTask task, const TraceReader& recording) {
  LiftedForm form;
  if (auto known = known_lifted(task, recording)) {
    form.trace = std::move(*known);
    return form;
  }
  form.made = true;
  form.trace = lifted_beside(task.trace);
  if (!can_be_written(form.trace)) {
    auto folder = TemporaryFolder::create("lifted");
    if (!folder) return could_not(folder.error());
    form.folder = std::move(*folder);
    form.trace = form.folder.path() / form.trace.filename();
  }
  task.output = form.trace;
  if (auto answer = lift_trace(task); !answer) return std::unexpected(answer.error());
  return form;
}

}  // namespace heddle
