#include "src/hunt/exhaustive.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/hunt/changing_input.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostAtOnce = 64;  // what a run teaches should be used soon

}  // namespace

Exhaustive::Exhaustive(Strategy strategy, std::uint64_t seed, std::optional<std::uint32_t> bound)
    : strategy_(strategy),
      enumeration_(strategy == Strategy::kDfs ? Enumeration::Order::kDepthFirst : Enumeration::Order::kByPreemptions,
                   seed, bound),
      bound_(bound) {}

void Exhaustive::learn_run(std::size_t i, const Lesson* lesson) {
  executed_++;
  if (!lesson || !lesson->seen) return strategy_ == Strategy::kDpor ? dpor_.learn({}) : enumeration_.lost(i);
  gave_way_ = gave_way_ || yields_or_spins(lesson->seen->decisions, lesson->seen->pending);
  for (const HeddleDecision& event : lesson->seen->decisions) {
    shares_memory_ |= (heddle_event_properties(event.kind) & HEDDLE_P_ACCESS) != 0;
    waits_for_conditions_ |= event.kind == HEDDLE_EV_COND_WAIT;
    compares_ |= event.kind == HEDDLE_EV_ATOMIC_CAS;
    // dpor does not know that who sends a signal meets all that the other thread does next; the others enumerate that.
    gets_signals_ |= strategy_ == Strategy::kDpor && (event.flags & HEDDLE_DECISION_HANDLER);
  }
  if (strategy_ == Strategy::kDpor)
    dpor_.learn(lesson->seen->decisions, lesson->seen->pending, lesson->seen->failing);
  else
    enumeration_.learn(i, lesson->seen->decisions);
}

void Exhaustive::learn_inputs(std::string_view inputs) {
  gets_signals_ = gets_signals_ || got_signals(inputs);
  asks_for_ids_ = asks_for_ids_ || asked_for_ids(inputs);
}

// Orders and strength of atomics are not in a run's record: what is said of them holds where they are weak.
std::string Exhaustive::not_varied() const {
  std::string list;
  const auto add = [&](bool is_there, const char* what) {
    if (is_there) list += (list.empty() ? "" : ", ") + std::string(what);
  };
  add(shares_memory_, "memory orders (all is sequentially consistent)");
  add(compares_, "failures of weak compare-and-exchange");
  add(waits_for_conditions_, "spurious wake-ups");
  add(gets_signals_, "moments of signals");
  add(asks_for_ids_, "process ids");
  return list.empty() ? list : "; not varied: " + list;
}

void Exhaustive::learn(const Epoch& epoch, const std::map<std::uint64_t, Lesson>& lessons) {
  for (std::uint64_t index = epoch.first; index < epoch.end; index++) {
    auto lesson = lessons.find(index);
    learn_run(index - epoch.first, lesson == lessons.end() ? nullptr : &lesson->second);
  }
}

bool Exhaustive::plan(Epoch& epoch, bool fresh) {
  if (fresh) {
    enumeration_.restart();
    dpor_.restart();
    before_ += executed_;
    executed_ = 0;
    gave_way_ = false;
  }
  std::vector<Prefix> prefixes;
  if (strategy_ == Strategy::kDpor) {
    if (auto next = dpor_.next()) prefixes.push_back(std::move(*next));
  } else {
    prefixes = enumeration_.take(std::clamp<std::uint64_t>(epoch.end - epoch.first, 1, kMostAtOnce));
  }
  epoch.prefixes.clear();
  epoch.end = epoch.first + prefixes.size();
  for (std::size_t i = 0; i < prefixes.size(); i++) epoch.prefixes[epoch.first + i] = std::move(prefixes[i]);
  return !epoch.prefixes.empty();
}

namespace {

std::string words_of(Times times) {
  if (times == Times::kNone) return {};
  if (times == Times::kOnlyWhenDue)
    return "; sleeps, time-outs and timers ended only when no other thread could run (--time-model virtual)";
  return fmt::format(
      "; clocks and timers were not varied, and of each thread only the first {} sleeps or time-outs ended early "
      "(--time-model loose)",
      HEDDLE_ENUMERATED_TIMEOUTS);
}

}  // namespace

std::string Exhaustive::words(bool failed, const std::string& apart, const std::string& changing, Times times) const {
  std::string outcome = (failed ? "" : ": none fails") + (apart.empty() ? "" : "; not all orders of " + apart) +
                        (gave_way_ ? "; a thread that yields or spins again and again was made to give way" : "") +
                        words_of(times) + not_varied();
  if (before_ > 0)
    outcome += fmt::format("; {} run{} came before all scheduling points were known", before_, before_ == 1 ? "" : "s");
  const bool dpor = strategy_ == Strategy::kDpor;
  if (dpor ? dpor_.too_large() : enumeration_.too_large())
    return fmt::format("{}: the program is too large for this strategy ({})", strategy_name(strategy_),
                       dpor ? "more than 4000 steps or 64 threads" : "too many schedules to remember");
  if (!(dpor ? dpor_.exact() : enumeration_.exact()))
    return "not all schedules could be executed: some runs did not follow the schedule that was planned for them";
  const bool one = executed_ == 1;
  if (!changing.empty())
    return fmt::format("{} schedule{} {} executed{}; there may be others: {}", executed_, one ? "" : "s",
                       one ? "was" : "were", outcome, changing);
  if (dpor) {
    const char* classes = apart.empty() ? ", at least one of each class," : "";
    return fmt::format("{} schedule{}{} {} executed{}", executed_, one ? "" : "s", classes, one ? "was" : "were",
                       outcome);
  }
  const std::string all = one ? "the only schedule" : fmt::format("all {} schedules", executed_);
  const char* were = one ? "was" : "were";
  if (strategy_ == Strategy::kDfs || !bound_ || !enumeration_.finished_bound() ||
      *enumeration_.finished_bound() < *bound_)
    return fmt::format("{} {} executed{}", all, were, outcome);
  return fmt::format("{} with at most {} preemption{} {} executed{}", all, *bound_, *bound_ == 1 ? "" : "s", were,
                     outcome);
}

}  // namespace heddle
