#include "src/explain/search.h"

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostDelays = 64;  // of each thread

/// When each thread took each of its actions, by the threads of the failing execution.
class Timetable {
 public:
  Timetable(const Execution& failing, const Execution& other) {
    steps_.resize(failing.threads.size());
    std::vector<std::uint32_t> index(other.threads.size(), ~0u);
    for (std::uint32_t i = 0; i < other.threads.size(); i++)
      for (std::uint32_t k = 0; k < failing.threads.size(); k++)
        if (failing.threads[k].name == other.threads[i].name) index[i] = k;
    std::uint64_t step = 0;
    std::vector<std::uint32_t> done(other.threads.size());
    for (const Turn& turn : other.turns)
      for (; done[turn.thread] < turn.end; done[turn.thread]++, step++)
        if (index[turn.thread] != ~0u) steps_[index[turn.thread]].push_back(step);
    same_.resize(failing.threads.size());
    for (std::uint32_t i = 0; i < other.threads.size(); i++) {
      if (index[i] == ~0u) continue;
      const auto &a = failing.threads[index[i]].prefixes, &b = other.threads[i].prefixes;
      same_[index[i]] = static_cast<std::uint32_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    }
  }

  /// Of the n-th action (from 1); nothing: it was not taken.
  std::optional<std::uint64_t> step(std::uint32_t thread, std::uint32_t action) const {
    if (thread >= steps_.size() || action == 0 || action > steps_[thread].size()) return std::nullopt;
    return steps_[thread][action - 1];
  }
  /// Up to there the thread did what it did in the failing execution.
  bool same(std::uint32_t thread, std::uint32_t action) const {
    return thread < same_.size() && action < same_[thread];
  }

 private:
  std::vector<std::vector<std::uint64_t>> steps_;
  std::vector<std::uint32_t> same_;  // prefixes
};

class Search {
 public:
  Search(Trials& trials, const Execution& execution, const Observed& failing, const SearchLimits& limits,
         const std::function<void(const Found&)>& on_progress)
      : trials_(trials), execution_(execution), failing_(failing), limits_(limits), on_progress_(on_progress),
        pairs_(pairs_of(failing)) {}

  Result<Found> run() {
    for (const Pair& pair : pairs_) {
      Tried tried = Tried::kImpossible;
      for (Meanwhile others : {Meanwhile::kAlone, Meanwhile::kAsBefore}) {
        if (tried == Tried::kFails || tried == Tried::kFailsOtherwise) break;
        const Tried before = tried;
        tried = attempt(pair, reversed(execution_.turns, pair.hold, pair.target, others));
        if (before == Tried::kPasses) tried = before;
      }
      found_.reversals.push_back({pair, tried});
      if (!going()) break;
    }
    found_.left_out = pairs_.size() - found_.reversals.size();
    // The order that would have saved it may be with an event that did not happen any more.
    for (const Pair& pair : delays_of(failing_, kMostDelays)) {
      if (!going() || found_.nearest) break;
      const auto threads = static_cast<std::uint32_t>(execution_.threads.size());
      attempt(pair, delayed(execution_.turns, pair.hold, threads));
    }
    if (error_) return std::unexpected(*error_);
    return std::move(found_);
  }

 private:
  bool going() {
    if (limits_.stop && limits_.stop->load(std::memory_order_relaxed)) found_.interrupted = true;
    if (Clock::now() - begin_ > limits_.time || found_.executions >= limits_.executions) found_.out_of_time = true;
    return !error_ && !found_.interrupted && !found_.out_of_time;
  }

  Tried attempt(const Pair& pair, const Turns& guide) {
    if (!going()) return Tried::kUnknown;
    Result<Trial> trial = trials_.execute(execution_, guide);
    found_.executions++;
    if (!trial) {
      if (!limits_.stop || !limits_.stop->load(std::memory_order_relaxed)) error_ = trial.error();
      return Tried::kUnknown;
    }
    found_.interrupted |= trial->interrupted;
    const Tried tried = judge(pair, *trial);
    if (tried == Tried::kPasses) {
      found_.passed++;
      const Distance distance = distance_of(trial->execution);
      // Pairs come nearest to the failure first; of one pair's reversals the one that changes less.
      const bool same_pair = found_.nearest && found_.nearest->pair.first == pair.first &&
                             found_.nearest->pair.second == pair.second;
      if (!found_.nearest || (same_pair && distance < found_.nearest->distance))
        found_.nearest = {pair, distance, std::move(*trial)};
    }
    found_.failed += tried == Tried::kFails;
    found_.failed_otherwise += tried == Tried::kFailsOtherwise;
    found_.not_reversed += tried == Tried::kImpossible;
    found_.unknown += tried == Tried::kUnknown;
    if (on_progress_) on_progress_(found_);
    return tried;
  }

  Tried judge(const Pair& pair, const Trial& trial) const {
    const RunOutcome& outcome = trial.outcome;
    if (trial.interrupted || outcome.result.divergence.happened || outcome.result.overflow || outcome.cut_off() ||
        (outcome.end != RunEnd::kFinished && !outcome.failure))
      return Tried::kUnknown;
    if (pair.kind != PairKind::kDelay && !is_reversed(pair, Timetable(execution_, trial.execution)))
      return Tried::kImpossible;
    if (trial.same_failure) return Tried::kFails;
    return outcome.failure ? Tried::kFailsOtherwise : Tried::kPasses;
  }

  bool is_reversed(const Pair& pair, const Timetable& then) const {
    const std::uint32_t action = pair.kind == PairKind::kAcquisition ? execution_actions(pair.target.thread) + 1
                                                                     : failing_.actions(pair.second);
    const auto first = then.step(pair.hold.thread, failing_.actions(pair.first)),
               second = then.step(pair.target.thread, action);
    return second && (!first || *second < *first);
  }

  std::uint32_t execution_actions(std::uint32_t thread) const {
    return static_cast<std::uint32_t>(execution_.threads[thread].actions.size());
  }

  Distance distance_of(const Execution& other) const {
    const Timetable then(execution_, other);
    Distance out{0, other.cost.switches, other.cost.preemptions};
    for (const Pair& pair : pairs_) {
      if (pair.kind == PairKind::kAcquisition) continue;
      const std::uint32_t a = failing_.actions(pair.first), b = failing_.actions(pair.second);
      const auto first = then.step(pair.hold.thread, a), second = then.step(pair.target.thread, b);
      const bool same = first && second && *first < *second && then.same(pair.hold.thread, a) &&
                        then.same(pair.target.thread, b);
      out.orders += !same;
    }
    return out;
  }

  Trials& trials_;
  const Execution& execution_;
  const Observed& failing_;
  const SearchLimits& limits_;
  const std::function<void(const Found&)>& on_progress_;
  const std::vector<Pair> pairs_;
  const Clock::time_point begin_ = Clock::now();
  Found found_;
  std::optional<Error> error_;
};

}  // namespace

Result<Found> search_alternate(Trials& trials, const Execution& execution, const Observed& failing,
                               const SearchLimits& limits, const std::function<void(const Found&)>& on_progress) {
  return Search(trials, execution, failing, limits, on_progress).run();
}

}  // namespace heddle
