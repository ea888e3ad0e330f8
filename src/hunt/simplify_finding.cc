#include "src/hunt/simplify_finding.h"

#include <fmt/format.h>

#include "src/show/shell_words.h"

namespace heddle {

SimplifiedFinding simplify_finding(SimplifyTask task, const std::filesystem::path& trace,
                                   std::optional<TimeLimit::Clock::time_point> end) {
  namespace fs = std::filesystem;
  SimplifiedFinding out;
  const TimeLimit limit(*task.session.stop, end);
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
  task.session.trace = original.string();
  task.session.trust = true;  // written a moment ago
  task.session.stop = &limit.stop();
  task.output = trace;
  auto answer = simplify_trace(task);
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

}  // namespace heddle
