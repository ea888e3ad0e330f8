#include "tools/simplify_answer.h"

#include <cstdio>
#include <ranges>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/json.h"
#include "tools/terminal.h"

namespace heddle {
namespace {

nlohmann::ordered_json place_json(const PlaceOfThread& place) {
  return {{"thread", place.thread}, {"function", place.function}, {"file", place.file},
          {"line", place.line},     {"text", place.text},         {"between", place.between}};
}

nlohmann::ordered_json size_json(const TraceHead& head) {
  return {{"events", head.totals.events},
          {"steps", head.totals.steps},
          {"threads", head.threads.size()},
          {"switches", head.totals.switches},
          {"preemptions", head.totals.preemptions}};
}

}  // namespace

void show_simplify_progress(const SimplifyProgress& progress) {
  say(stderr, "\r\033[K  switches {}  preemptions {}  {} executions", progress.cost.switches,
             progress.cost.preemptions, progress.executions);
  std::fflush(stderr);
}

std::string first_line(const SimplifyAnswer& answer) {
  const Totals &before = answer.before.totals, &after = answer.after.totals;
  return fmt::format("switches {} -> {}   preemptions {} -> {}      {} executions, {:.2f} s", before.switches,
                     after.switches, before.preemptions, after.preemptions, answer.executions, answer.seconds);
}

std::string interrupted_text(const SimplifyAnswer& answer) {
  return answer.interrupted ? "   interrupted: the best so far" : "";
}

std::vector<std::string> preemption_lines(const SimplifyAnswer& answer, const std::string& trace) {
  constexpr std::size_t kMost = 5;  // whoever has to read more looks at the trace
  constexpr std::size_t kMostTurns = 24;
  std::vector<std::string> lines;
  if (!answer.order.empty()) lines.push_back(in_words(answer.order, kMostTurns));
  for (const Preemption& preemption : answer.preemptions | std::views::take(kMost))
    lines.push_back(in_words(preemption));
  for (const EarlyTimeout& timeout : answer.timeouts) lines.push_back(in_words(timeout));
  if (answer.preemptions.size() > kMost)
    lines.push_back(fmt::format("... and {} more: heddle show {}", answer.preemptions.size() - kMost, trace));
  return lines;
}

nlohmann::ordered_json simplify_json(const SimplifyAnswer& answer, const std::string& output) {
  nlohmann::ordered_json out, places = nlohmann::ordered_json::array();
  for (const Preemption& preemption : answer.preemptions)
    places.push_back({{"step", preemption.step},
                      {"stopped", place_json(preemption.stopped)},
                      {"ran", place_json(preemption.ran)},
                      {"text", in_words(preemption)}});
  out["before"] = size_json(answer.before);
  out["after"] = size_json(answer.after);
  out["executions"] = answer.executions;
  out["seconds"] = answer.seconds;
  out["trace"] = output;
  out["rounds"] = answer.rounds;
  out["preemptions"] = std::move(places);
  nlohmann::ordered_json order = nlohmann::ordered_json::array();
  for (const TurnOfThread& turn : answer.order) order.push_back({{"thread", turn.thread}, {"label", turn.label}});
  out["order"] = std::move(order);
  nlohmann::ordered_json timeouts = nlohmann::ordered_json::array();
  for (const EarlyTimeout& timeout : answer.timeouts)
    timeouts.push_back({{"step", timeout.step},
                        {"thread", timeout.thread},
                        {"skipped_ns", timeout.skipped_ns},
                        {"text", in_words(timeout)}});
  out["early_timeouts"] = std::move(timeouts);
  out["failure"] = failure_json(answer.after.failure);
  out["inputs"] = answer.inputs == InputSource::kReal ? "real" : "recorded";
  out["interrupted"] = answer.interrupted;
  out["notes"] = answer.notes;
  return out;
}

}  // namespace heddle
