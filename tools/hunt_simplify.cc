#include "tools/hunt_simplify.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/terminal.h"
#include "tools/user.h"

namespace heddle {
namespace fs = std::filesystem;

SimplifiedFinding simplify_finding(const HuntArguments& arguments, const fs::path& trace,
                                   std::optional<TimeLimit::Clock::time_point> end, const std::atomic<bool>& give_up,
                                   bool live) {
  SimplifiedFinding out;
  const TimeLimit limit(*arguments.request.worker.stop, end);
  const auto stopped = [&] {
    out.out_of_time = limit.time_is_up();
    out.interrupted = limit.stop() && !out.out_of_time;
    return limit.stop().load();
  };
  if (stopped()) {
    out.why_not = Error{out.out_of_time ? "the time was used up" : "interrupted",
                        fmt::format("heddle simplify {}", shell_word(trace.string()))};
    return out;
  }
  fs::path original = trace;
  original.replace_filename(trace.stem().string() + "-full" + trace.extension().string());
  std::error_code failed;
  fs::rename(trace, original, failed);
  if (failed) {
    out.why_not = Error{fmt::format("cannot rename {}: {}", trace.string(), failed.message()), ""};
    return out;
  }
  SimplifyTask task;
  task.session.trace = original.string();
  task.session.trust = true;  // written a moment ago
  task.session.engine = arguments.request.options;
  task.session.user = current_user();
  task.session.stop = &limit.stop();
  task.output = trace;
  task.give_up = &give_up;
  if (live) task.on_progress = show_simplify_progress;
  auto answer = simplify_trace(task);
  if (live) say(stderr, "\r\033[K");
  if (answer) {
    out.answer = std::move(*answer);
    out.out_of_time = out.answer->interrupted && limit.time_is_up();
    out.interrupted = out.answer->interrupted && !out.out_of_time;
    out.original = original;
    return out;
  }
  out.why_not = answer.error().error;
  stopped();
  fs::rename(original, trace, failed);
  return out;
}

std::vector<std::string> simplified_lines(const SimplifiedFinding& finding, const std::string& trace) {
  if (!finding.answer)
    return {fmt::format("note: not simplified: {}{}", finding.why_not->message,
                        finding.why_not->advice.empty() ? "" : "; " + finding.why_not->advice)};
  std::vector<std::string> out = {first_line(*finding.answer) + (finding.out_of_time
                                                                     ? "   the time was used up: the best so far"
                                                                     : interrupted_text(*finding.answer))};
  for (std::string& line : preemption_lines(*finding.answer, trace)) out.push_back(std::move(line));
  for (const std::string& note : finding.answer->notes) out.push_back("note: " + note);
  return out;
}

nlohmann::ordered_json simplified_json(const SimplifiedFinding& finding, const fs::path& trace) {
  if (!finding.answer)
    return {{"why_not", finding.why_not->message},
            {"interrupted", finding.interrupted},
            {"out_of_time", finding.out_of_time}};
  nlohmann::ordered_json out = simplify_json(*finding.answer, trace.string());
  out["original"] = finding.original.string();
  out["interrupted"] = finding.interrupted;
  out["out_of_time"] = finding.out_of_time;
  return out;
}

}  // namespace heddle
