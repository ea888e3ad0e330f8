#include "src/explain/projection.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/source_files.h"
#include "src/show/words.h"
#include "src/simplify/statement.h"

namespace heddle {
namespace {

std::string label_of(const ThreadRecord& thread) { return thread.label.empty() ? thread.entry : thread.label; }

class Projector {
 public:
  Projector(const Observed& failing, const Observed* alternate, std::optional<std::filesystem::file_time_type> built)
      : failing_(failing), alternate_(alternate), names_(failing.head()),
        names_there_(alternate ? alternate->head() : failing.head()),
        sources_(failing.head().meta.cwd, built, {.named = true}) {}

  Projection run(const Comparison* comparison, const Verdict& verdict) {
    for (At at : verdict.events) out_.cause.push_back(of_failing(at));
    for (At at : verdict.events_there) out_.cause.push_back(of_alternate(at));
    pending(verdict);
    failure();
    for (std::size_t i : out_.cause) note_object(out_.events[i].object);
    if (alternate_) acquired_there(verdict);
    if (comparison) flows(*comparison);
    sort();
    out_.text = words(verdict);
    return std::move(out_);
  }

 private:
  std::size_t keep(ShownEvent event) {
    for (std::size_t i = 0; i < out_.events.size(); i++) {
      const ShownEvent& other = out_.events[i];
      if (other.failing == event.failing && other.alternate == event.alternate && other.pending == event.pending &&
          other.is_failure == event.is_failure && other.thread == event.thread)
        return i;
    }
    out_.events.push_back(std::move(event));
    return out_.events.size() - 1;
  }

  ShownEvent shown(const Observed& run, Names& names, At at) {
    HeddleEvent event = run[at];
    ShownEvent out;
    const TraceHead& head = run.head();
    if (event.thread < head.threads.size()) {
      out.thread = head.threads[event.thread].name;
      out.label = clean(label_of(head.threads[event.thread]), true);
    }
    out.event_kind = event.kind;
    out.kind = kind_text(event.kind);
    out.object = clean(names.what(event), true);
    const Place& place = names.place(names.place(event));
    out.function = clean(place.function, true);
    out.file = place.file;
    out.line = place.line;
    out.code = code(out.file, out.line, names.column(event));
    return out;
  }

  std::string code(const std::string& file, std::uint32_t line, std::uint32_t column) {
    const std::string_view text = statement_at(sources_.indented(file, line), column);
    return sources_.is_changed(file) ? std::string() : clean(text, true);
  }

  std::size_t of_failing(At at) {
    ShownEvent event = shown(failing_, names_, at);
    event.failing = at;
    if (alternate_) event.alternate = alternate_->same(failing_, at);
    return keep(std::move(event));
  }

  std::size_t of_alternate(At at) {
    if (const At here = failing_.same(*alternate_, at); here != kNowhere) return of_failing(here);
    ShownEvent event = shown(*alternate_, names_there_, at);
    event.alternate = at;
    return keep(std::move(event));
  }

  /// What the threads of a deadlock wait for.
  void pending(const Verdict& verdict) {
    const FailureRecord& failure = *failing_.head().failure;
    for (const std::size_t i : verdict.edges) {
      const DeadlockEdge& edge = failure.deadlock[i];
      if (edge.wait == WaitKind::kThread) continue;
      ShownEvent event;
      event.thread = edge.thread;
      for (const ThreadRecord& thread : failing_.head().threads)
        if (thread.name == edge.thread) event.label = clean(label_of(thread), true);
      event.kind = fmt::format("waits: {}", token(edge.wait));
      event.object = clean(edge.object, true);
      event.function = clean(edge.wait_site.function, true);
      event.file = edge.wait_site.file;
      event.line = edge.wait_site.line;
      event.code = code(event.file, event.line, edge.wait_site.column);
      event.failing = failing_.size();
      event.pending = true;
      note_object(event.object);
      out_.cause.push_back(keep(std::move(event)));
    }
  }

  /// In the alternate execution the threads of a deadlock get what they wait for.
  void acquired_there(const Verdict& verdict) {
    for (const std::size_t i : verdict.edges) {
      const DeadlockEdge& edge = failing_.head().failure->deadlock[i];
      if (edge.wait == WaitKind::kThread || out_.events.size() + 2 > Projection::kMostEvents) continue;
      for (At at = 0; at < alternate_->size(); at++) {
        HeddleEvent event = (*alternate_)[at];
        const HeddleEventClass c = heddle_event_class(event.kind);
        if (c != HEDDLE_C_ACQUIRE && c != HEDDLE_C_SHARED_ACQUIRE && c != HEDDLE_C_AWAIT) continue;
        if (event.thread >= alternate_->head().threads.size()) continue;
        if (alternate_->head().threads[event.thread].name != edge.thread || names_there_.what(event) != edge.object)
          continue;
        if (failing_.same(*alternate_, at) != kNowhere) continue;
        of_alternate(at);
        break;
      }
    }
  }

  void failure() {
    const FailureRecord& failure = *failing_.head().failure;
    if (failure.line == 0 || !failure.deadlock.empty()) return;
    ShownEvent event;
    event.thread = failure.thread;
    for (const ThreadRecord& thread : failing_.head().threads)
      if (thread.name == failure.thread) event.label = clean(label_of(thread), true);
    event.kind = "fails";
    event.object = clean(failure.message, true);
    event.function = clean(failure.function, true);
    event.file = failure.file;
    event.line = failure.line;
    event.code = code(event.file, event.line, 0);
    event.failing = failing_.size();
    event.is_failure = true;
    keep(std::move(event));
  }

  void note_object(const std::string& object) {
    if (!object.empty() && std::ranges::find(out_.objects, object) == out_.objects.end())
      out_.objects.push_back(object);
  }

  void flows(const Comparison& comparison) {
    for (const FlowChange& change : comparison.flows) {
      if (out_.flows.size() + 2 > Projection::kMostFlows || out_.events.size() + 3 > Projection::kMostEvents) break;
      if (!of_cause(change)) continue;
      const std::size_t read = of_failing(change.read);
      ShownFlow here{true, std::nullopt, read}, there{false, std::nullopt, read};
      if (change.write != kNowhere) here.from = of_failing(change.write);
      if (change.write_there != kNowhere) there.from = of_alternate(change.write_there);
      out_.flows.push_back(here);
      out_.flows.push_back(there);
    }
  }

  /// Of a variable of the verdict, or without one the first of all.
  bool of_cause(const FlowChange& change) {
    if (out_.objects.empty()) return true;
    HeddleEvent event = failing_[change.read];
    return std::ranges::find(out_.objects, clean(names_.what(event), true)) != out_.objects.end();
  }

  void sort() {
    std::vector<std::size_t> order(out_.events.size());
    for (std::size_t i = 0; i < order.size(); i++) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return out_.events[a].failing < out_.events[b].failing;
    });
    std::vector<std::size_t> now(order.size());
    std::vector<ShownEvent> events;
    for (std::size_t i = 0; i < order.size(); i++) {
      now[order[i]] = i;
      events.push_back(std::move(out_.events[order[i]]));
    }
    out_.events = std::move(events);
    for (std::size_t& i : out_.cause) i = now[i];
    for (ShownFlow& flow : out_.flows) {
      flow.to = now[flow.to];
      if (flow.from) flow.from = now[*flow.from];
    }
  }

  // Words.

  static std::string place(const ShownEvent& event) {
    return event.line ? fmt::format("{}:{}", base_name(event.file), event.line)
                      : event.function.empty() ? std::string("unknown place") : event.function;
  }
  static std::string who(const ShownEvent& event) { return fmt::format("thread {}", event.thread); }
  static std::string_view verb_of(std::uint32_t kind) {
    switch (heddle_event_class(kind)) {
      case HEDDLE_C_READ: return "reads";
      case HEDDLE_C_WRITE: return "writes";
      case HEDDLE_C_ATOMIC:
        return kind == HEDDLE_EV_ATOMIC_LOAD ? "reads" : kind == HEDDLE_EV_ATOMIC_STORE ? "writes" : "updates";
      default: return "";
    }
  }
  static std::string does(const ShownEvent& event) {
    const std::string_view verb = verb_of(event.event_kind);
    const std::string object = event.object.empty() ? "memory" : event.object;
    return verb.empty() ? fmt::format("does '{}' on {} ({})", event.kind, object, place(event))
                        : fmt::format("{} {} ({})", verb, object, place(event));
  }

  std::string words(const Verdict& verdict) const {
    const auto& events = out_.events;
    std::vector<const ShownEvent*> cause;
    for (std::size_t i : out_.cause) cause.push_back(&events[i]);
    switch (verdict.pattern) {
      case Pattern::kAtomicity:
        if (cause.size() < 3) break;
        return fmt::format(
            "Atomicity violation: {} {} and later {}; in between, {} {}. The order without that does not fail: one "
            "atomic region around both accesses of thread {} would rule it out.",
            who(*cause[0]), does(*cause[0]), does(*cause[2]), who(*cause[1]), does(*cause[1]), cause[0]->thread);
      case Pattern::kOrder:
        if (cause.size() < 2) break;
        if (cause[1]->failing == kNowhere)
          return fmt::format(
              "Order violation: {} {} too early. In an order that does not fail, {} {} before that; in the failing order, "
              "it did not come to it.",
              who(*cause[0]), does(*cause[0]), who(*cause[1]), does(*cause[1]));
        return fmt::format("Order violation: {} {} before {} {}. The other order does not fail.", who(*cause[0]),
                           does(*cause[0]), who(*cause[1]), does(*cause[1]));
      case Pattern::kDeadlock: return deadlock_words(verdict);
      case Pattern::kLostWakeUp: return lost_words(verdict);
      case Pattern::kLivelock: return failing_.head().failure->message + ".";  // which begins with that word
      case Pattern::kUnknown: break;
    }
    return alternate_ ? "The order below does not fail, but no two events were found whose order explains the difference."
                      : "No pair of events was found whose order decides whether the program fails.";
  }

  std::string deadlock_words(const Verdict& verdict) const {
    std::string out = "Deadlock: ";
    std::size_t locks = 0;
    for (const std::size_t i : verdict.edges) {
      const DeadlockEdge& edge = failing_.head().failure->deadlock[i];
      if (i != verdict.edges.front()) out += ", ";
      out += fmt::format("thread {} waits for {}", edge.thread, clean(edge.object, true));
      if (edge.wait != WaitKind::kThread && !edge.holder.empty()) out += fmt::format(", which thread {} holds", edge.holder);
      locks += edge.object_id != 0 && edge.wait != WaitKind::kThread;
    }
    const bool order = locks >= 2 && locks == verdict.edges.size();
    return out + (order ? ". All threads have to take these locks in the same order." : ".");
  }

  std::string lost_words(const Verdict& verdict) const {
    if (!verdict.signal_was_lost || out_.cause.size() < 2)
      return fmt::format("Lost wake-up: a thread waits for a signal that does not come ({}).",
                         clean(failing_.head().failure->message, true));
    const ShownEvent &signal = out_.events[out_.cause[0]], &wait = out_.events[out_.cause[1]];
    return fmt::format(
        "Lost wake-up: thread {} signalled {} ({}) before thread {} waited for it ({}), so nobody was woken. The "
        "condition has to be tested under the lock with which it is changed, right before the wait.",
        signal.thread, signal.object, place(signal), wait.thread, place(wait));
  }

  const Observed& failing_;
  const Observed* alternate_;
  Names names_, names_there_;
  SourceFiles sources_;
  Projection out_;
};

}  // namespace

Projection project(const Observed& failing, const Observed* alternate, const Comparison* comparison,
                   const Verdict& verdict, std::optional<std::filesystem::file_time_type> built) {
  return Projector(failing, alternate, built).run(comparison, verdict);
}

}  // namespace heddle
