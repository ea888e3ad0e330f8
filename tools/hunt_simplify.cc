#include "tools/hunt_simplify.h"

#include <fmt/format.h>

#include "tools/terminal.h"

namespace heddle {
namespace fs = std::filesystem;

SimplifiedFinding simplify_finding(const HuntArguments& arguments, const fs::path& trace,
                                   const std::atomic<bool>& impatient, bool live) {
  SimplifiedFinding out;
  const auto interrupted = [&] { return out.interrupted = arguments.request.worker.stop->load(); };
  if (interrupted()) {
    out.why_not = Error{"interrupted", fmt::format("heddle simplify {}", shell_word(trace.string()))};
    return out;
  }
  fs::path original = trace;
  original.replace_filename(trace.stem().string() + "-full" + trace.extension().string());
  std::error_code failed;
  fs::rename(trace, original, failed);
  if (failed) {
    out.why_not = Error{fmt::format("{} cannot be renamed: {}", trace.string(), failed.message()), ""};
    return out;
  }
  SimplifyTask task;
  task.trace = original.string();
  task.output = trace;
  task.engine = arguments.request.options;
  task.stop = arguments.request.worker.stop;
  task.give_up = &impatient;
  if (live) task.on_progress = show_simplify_progress;
  auto answer = simplify_trace(task);
  if (live) fmt::print(stderr, "\r\033[K");
  if (answer) {
    out.answer = std::move(*answer);
    out.interrupted = out.answer->interrupted;
    out.original = original;
    return out;
  }
  out.why_not = answer.error().error;
  interrupted();
  fs::rename(original, trace, failed);
  return out;
}

std::vector<std::string> simplified_lines(const SimplifiedFinding& finding, const std::string& trace) {
  if (!finding.answer)
    return {fmt::format("note: not simplified: {}{}", finding.why_not->message,
                        finding.why_not->advice.empty() ? "" : "; " + finding.why_not->advice)};
  std::vector<std::string> out = {first_line(*finding.answer) + interrupted_text(*finding.answer)};
  for (std::string& line : preemption_lines(*finding.answer, trace)) out.push_back(std::move(line));
  for (const std::string& note : finding.answer->notes) out.push_back("note: " + note);
  return out;
}

nlohmann::ordered_json simplified_json(const SimplifiedFinding& finding, const fs::path& trace) {
  if (!finding.answer) return {{"why_not", finding.why_not->message}, {"interrupted", finding.interrupted}};
  nlohmann::ordered_json out = simplify_json(*finding.answer, trace.string());
  out["original"] = finding.original.string();
  return out;
}

}  // namespace heddle
