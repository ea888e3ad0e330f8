#include "src/lift/lift_trace.h"

#include <chrono>

#include <fmt/format.h>

#include "src/engine/open_trace.h"
#include "src/engine/trust.h"
#include "src/trace/new_trace.h"

namespace heddle {

Answered<LiftAnswer> lift_trace(const LiftTask& task) {
  const auto begin = std::chrono::steady_clock::now();
  auto trace = open_trace(task.session.trace);
  if (!trace) return bad_input(trace.error());
  if (Error why = why_not_lifted(*trace); !why.message.empty())
    return bad_input({fmt::format("{} cannot be lifted: {}", task.session.trace, why.message), why.advice});
  SessionTask lifting = task.session;
  lifting.verb = "lift";
  lifting.writes_traces = true;
  auto session = Session::open(std::move(*trace), lifting);
  if (!session) return bad_input(session.error());
  if (Status ready = session->start(); !ready) return bad_input(ready.error());
  LiftLimits limits = task.limits;
  limits.stop = task.session.stop;
  auto lifted = lift(session->trace(), session->replayer(), session->executor(), limits, task.output);
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
  const std::filesystem::path file = lifted_beside(task.session.trace);
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return std::nullopt;
  auto lifted = TraceReader::open(file);
  if (!lifted || !lifted->damage().empty()) return std::nullopt;
  if (!is_own_trace(*lifted, file.string(), task.session.user.key_file)) return std::nullopt;
  const Meta &of = recording.head().meta, &found = lifted->head().meta;
  if (found.source != TraceSource::kLifted || found.time_base_ns != of.time_base_ns || found.build_id != of.build_id ||
      found.argv != of.argv)
    return std::nullopt;
  return file;
}

Answered<LiftedForm> lifted_form(LiftTask task, const TraceReader& recording) {
  LiftedForm form;
  if (auto known = known_lifted(task, recording)) {
    form.trace = std::move(*known);
    return form;
  }
  form.made = true;
  form.trace = lifted_beside(task.session.trace);
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
