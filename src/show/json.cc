#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "src/show/kind_text.h"
#include "src/show/summary.h"
#include "src/show/survey.h"
#include "src/show/view.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Frame& f) {
  return {{"function", f.function}, {"file", f.file}, {"line", f.line}, {"module", f.module}, {"system", f.system}};
}

Json json_of(const Stack& stack) {
  Json out = Json::array();
  for (const Frame& f : stack) out.push_back(json_of(f));
  return out;
}

Json json_of(const FailureRecord& f) {
  Json threads = Json::array(), deadlock = Json::array();
  for (const ThreadAtFailure& t : f.threads)
    threads.push_back({{"thread", t.thread}, {"state", to_text(t.state)}, {"stack", json_of(t.stack)}});
  for (const DeadlockEdge& e : f.deadlock)
    deadlock.push_back({{"thread", e.thread},
                        {"operation", token(e.wait)},
                        {"object", e.object},
                        {"holder", e.holder},
                        {"wait_site", json_of(e.wait_site)},
                        {"hold_site", json_of(e.hold_site)}});
  return {{"kind", token(f.kind)},  {"signature", f.signature}, {"message", f.message}, {"thread", f.thread},
          {"function", f.function}, {"file", f.file},           {"line", f.line},       {"detail", f.detail},
          {"threads", threads},     {"deadlock", deadlock},     {"notes", f.notes}};
}

Json json_of(const RaceAccess& a) {
  return {{"thread", a.thread}, {"kind", access_token(a.kind)}, {"function", a.function}, {"file", a.file},
          {"line", a.line},     {"stack", json_of(a.stack)}};
}

Json json_of(const Meta& m) {
  return {{"heddle_version", m.heddle_version},
          {"build_id", m.build_id},
          {"cwd", m.cwd},
          {"argv", m.argv},
          {"strategy", strategy_token(m)},
          {"points", token(m.points)},
          {"seed", m.seed},
          {"run_index", m.run_index},
          {"created", m.created},
          {"machine", m.machine},
          {"detail", level_of_detail(m.detail)},
          {"contains", detail_tokens(m.detail)}};
}

}  // namespace

std::string show_json(const TraceReader& trace) {
  const TraceHead& head = trace.head();
  const Survey seen = survey(trace, {});
  const Totals t = totals(trace, seen.counter);
  Json threads = Json::array(), races = Json::array();
  for (std::size_t i = 0; i < head.threads.size(); ++i) {
    const ThreadRecord& r = head.threads[i];
    threads.push_back({{"name", r.name},
                       {"entry", r.entry},
                       {"label", r.label},
                       {"events", i < seen.thread_events.size() ? seen.thread_events[i] : 0}});
  }
  for (const RaceRecord& r : head.races)
    races.push_back(
        {{"variable", r.variable}, {"size", r.size}, {"first", json_of(r.first)}, {"second", json_of(r.second)}});
  const bool ended = head.complete && WIFEXITED(head.wait_status);
  Json out = {{"program", head.meta.program},
              {"outcome", token(outcome(trace))},
              {"exit_status", ended ? Json(WEXITSTATUS(head.wait_status)) : Json()},
              {"threads", threads},
              {"events", trace.event_count()},
              {"steps", t.steps},
              {"segments", head.schedule.size()},
              {"switches", t.switches},
              {"preemptions", t.preemptions},
              {"failure", head.failure ? json_of(*head.failure) : Json()},
              {"races", races},
              {"notes", head.notes},
              {"output", head.output},
              {"output_truncated", head.output_truncated},
              {"complete", head.complete},
              {"damage", trace.damage()},
              {"bytes", trace.file_bytes()},
              {"bytes_per_event", trace.event_count() == 0 ? Json()
                                                           : Json(static_cast<double>(trace.event_bytes()) /
                                                                  static_cast<double>(trace.event_count()))},
              {"totals",
               {{"events", t.events},
                {"steps", t.steps},
                {"switches", t.switches},
                {"preemptions", t.preemptions},
                {"accesses", t.accesses},
                {"virtual_ns", t.virtual_ns}}},
              {"run", json_of(head.meta)}};
  return out.dump(2, ' ', true, Json::error_handler_t::replace);
}

}  // namespace heddle
