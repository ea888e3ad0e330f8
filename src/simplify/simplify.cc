// Rules of this file: `best_` is always something that was executed and failed in the same way. The turns before the
// one that an operation changes are executed exactly as they were, since the program is deterministic under control; so
// indices below it stay valid over an accepted change, and an operation whose effect is known from that is not
// executed: a thread that could not go on at the end of its turn cannot be given more there, so Consolidate Up at a
// switch that is no preemption equals Consolidate Down of the thread's next turn.
#include "src/simplify/simplify.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "src/simplify/operations.h"

namespace heddle {
namespace {

constexpr std::size_t kSmallestChunk = 4;  // turns: less is left to the operations one by one
constexpr std::size_t kFewTurns = 3;       // that another thread may do instead
constexpr std::size_t kBeginning = 2;      // actions that show that two threads do the same kind of work

class Simplifier {
 public:
  Simplifier(Trials& trials, const Execution& original, Trial first, const SimplifyOptions& options,
             const std::function<void(const SimplifyProgress&)>& on_progress)
      : trials_(trials), original_(original), options_(options), on_progress_(on_progress) {
    result_.best = std::move(first);
    const std::size_t switches = turns().empty() ? 0 : turns().size() - 1;
    if (options.suffix && options.suffix < switches) first_ = switches - options.suffix, removable_ = first_ + 1;
    remember(turns(), Rejoining::kAnywhere);
  }

  Result<Simplified> run() {
    if (!options_.one_by_one) by_bisection();
    do {
      tinertia();
    } while (going() && !options_.one_by_one && (remove_pair() || replace_last()));
    if (error_) return std::unexpected(*error_);
    return std::move(result_);
  }

 private:
  const Turns& turns() const { return result_.best.execution.turns; }
  const Cost& cost() const { return result_.best.execution.cost; }
  bool going() const { return !error_ && !result_.interrupted; }

  bool keeps_beginning(const Execution& execution) const;
  bool remember(const Turns& guide, Rejoining rejoining);
  bool attempt(const Turns& guide, Rejoining rejoining = Rejoining::kAnywhere);
  bool attempt_gathered(std::size_t first, std::size_t last);
  void by_bisection();
  void gather_tail();
  void gather_head();
  void gather_chunks(std::size_t first, std::size_t last);
  void tinertia();
  void round(bool at_preemptions);
  bool remove_pair();
  bool replace_last();
  void remove_last();
  void consolidate_up();
  void consolidate_up(std::size_t i);
  void second_stage(std::size_t i);
  void consolidate_down(bool at_preemptions);

  Trials& trials_;
  const Execution& original_;
  const SimplifyOptions& options_;
  const std::function<void(const SimplifyProgress&)>& on_progress_;
  std::size_t first_ = 0;      // turns before it stay, and it begins where it does
  std::size_t removable_ = 0;  // turns from here on may go
  std::size_t tail_ = 0;   // turns from here on were gathered
  Simplified result_;
  std::optional<Execution> refused_;        // the last attempt, if it was executed and not accepted
  bool refused_same_failure_ = false;       // ... since it was not less costly
  Rejoining rejoining_ = Rejoining::kNear;  // in gathered turns, to begin with
  std::unordered_set<std::uint64_t> tried_;
  std::optional<Error> error_;
};

/// The switches before the suffix: the same threads, stopped at the same places.
bool Simplifier::keeps_beginning(const Execution& execution) const {
  if (first_ == 0) return true;
  const auto name = [](const Execution& e, std::size_t i) { return e.threads[e.turns[i].thread].name; };
  const auto end = [](const Execution& e, std::size_t i) {
    return e.threads[e.turns[i].thread].prefixes[e.turns[i].end];
  };
  const Execution& best = result_.best.execution;
  if (execution.turns.size() <= first_ || name(execution, first_) != name(best, first_)) return false;
  for (std::size_t i = 0; i < first_; i++)
    if (end(execution, i) != end(best, i)) return false;
  return true;
}

/// False: it is known. What threads do up to the end of each turn identifies a guide over all executions.
bool Simplifier::remember(const Turns& guide, Rejoining rejoining) {
  std::uint64_t key = 2 * guide.size() + (rejoining == Rejoining::kNear);
  for (const Turn& turn : guide) {
    const Path& path = result_.best.execution.threads[turn.thread];
    const std::uint64_t prefix = turn.end < path.prefixes.size() ? path.prefixes[turn.end] : ~path.prefixes.front();
    key = ((key ^ prefix) * 0x9e3779b97f4a7c15ull ^ turn.joined) * 0xbf58476d1ce4e5b9ull;
    key ^= key >> 31;
  }
  return tried_.insert(key).second;
}

bool Simplifier::attempt(const Turns& guide, Rejoining rejoining) {
  refused_.reset();
  if (!going() || (!remember(guide, rejoining) && !options_.one_by_one)) return false;
  if (options_.stop && options_.stop->load(std::memory_order_relaxed)) return result_.interrupted = true, false;
  Result<Trial> trial = trials_.execute(result_.best.execution, guide, rejoining);
  if (!trial) {
    if (options_.stop && options_.stop->load(std::memory_order_relaxed))
      result_.interrupted = true;
    else
      error_ = trial.error();
    return false;
  }
  result_.interrupted |= trial->interrupted;
  const bool accepted = trial->same_failure && trial->execution.cost < cost() && keeps_beginning(trial->execution) &&
                        (!options_.exact || is_variant(trial->execution, original_));
  if (accepted)
    result_.best = std::move(*trial);
  else
    refused_ = std::move(trial->execution), refused_same_failure_ = trial->same_failure;
  if (on_progress_) on_progress_({cost(), trials_.executions()});
  return accepted;
}

/// Turns [first, last) gathered. In a long stretch of a schedule that threads go through in another order some will
/// leave their path: of the two ways to be back on it the one that helped last is tried first, and the other one only
/// if it could make the failure come back.
bool Simplifier::attempt_gathered(std::size_t first, std::size_t last) {
  if (!can_gather(turns(), first, last)) return false;
  const Turns guide = gathered(turns(), first, last);
  if (attempt(guide, rejoining_)) return true;
  if (!refused_ || refused_same_failure_ || !refused_->ambiguous) return false;
  const Rejoining other = rejoining_ == Rejoining::kNear ? Rejoining::kAnywhere : Rejoining::kNear;
  if (!attempt(guide, other)) return false;
  rejoining_ = other;
  return true;
}

void Simplifier::by_bisection() {
  attempt({turns().begin(), turns().begin() + static_cast<std::ptrdiff_t>(removable_)});  // nobody leads
  gather_tail();
  gather_head();
  gather_chunks(first_, turns().size());
}

/// The shortest beginning that is needed as it is: behind it no thread is preempted before it is as far as it was.
void Simplifier::gather_tail() {
  std::size_t needed = first_, enough = turns().size();
  if (attempt_gathered(first_, enough)) return void(tail_ = first_);
  while (going() && enough - needed > 1) {
    const std::size_t middle = needed + (enough - needed) / 2;
    if (attempt_gathered(middle, turns().size()))
      enough = middle;
    else
      needed = middle;
  }
  tail_ = std::min(enough, turns().size());
}

/// The longest beginning in which no preemption is needed. What lies behind it is counted from the end.
void Simplifier::gather_head() {
  std::size_t fine = first_;  // turns before it are gathered
  std::size_t refused = std::min(tail_, turns().size());
  while (going() && refused > fine + 1) {
    const std::size_t middle = fine + (refused - fine) / 2, after = turns().size() - middle,
                      refused_after = turns().size() - refused;
    if (attempt_gathered(first_, middle)) {
      fine = turns().size() > after ? std::max(first_, turns().size() - after) : first_;
      refused = turns().size() > refused_after ? turns().size() - refused_after : fine;
    } else {
      refused = middle;
    }
  }
}

/// Halves, from the end to the beginning: an accepted change moves only what lies behind it.
void Simplifier::gather_chunks(std::size_t first, std::size_t last) {
  last = std::min(last, turns().size());
  if (!going() || last < first + kSmallestChunk || !can_gather(turns(), first, last)) return;
  const auto begin = turns().begin() + static_cast<std::ptrdiff_t>(first);
  if (std::none_of(begin, begin + static_cast<std::ptrdiff_t>(last - first), [](const Turn& t) { return t.preempted; }))
    return;
  if (attempt_gathered(first, last)) return;
  const std::size_t middle = first + (last - first) / 2;
  gather_chunks(middle, last);
  gather_chunks(first, middle);
}

/// Algorithm 1 of the paper. Its last round changes nothing, and goes over all turns. Those before it need not: with
/// many turns that end where a thread is blocked, most is won where one is preempted, and each gain would make all the
/// others be tried again.
void Simplifier::tinertia() {
  Cost before;
  do {
    Cost before_some;
    do {
      before_some = cost();
      if (!options_.one_by_one) round(true);
    } while (going() && cost() < before_some);
    before = cost();
    result_.rounds++;
    round(false);
  } while (going() && cost() < before);
}

void Simplifier::round(bool at_preemptions) {
  remove_last();
  consolidate_up();
  consolidate_down(at_preemptions);
}

/// Not in the paper: two threads that need each other, say a producer and its consumer, are left out together or not at
/// all. Only threads of one turn, so this costs few executions.
bool Simplifier::remove_pair() {
  const auto only_turn = [&](std::size_t i) {
    return std::ranges::count(turns(), turns()[i].thread, &Turn::thread) == 1;
  };
  for (std::size_t i = turns().size(); i-- > removable_ + 1 && going();)
    if (only_turn(i) && only_turn(i - 1) && attempt(without(without(turns(), i), i - 1))) return true;
  return false;
}

/// Not in the paper: the thread of the last turn need not have come at all if another one that is there can do what it
/// did: of many workers each is as good as another.
bool Simplifier::replace_last() {
  if (options_.exact || turns().empty()) return false;
  const std::uint32_t last = turns().back().thread;
  const auto begins_alike = [&](std::uint32_t thread) {
    const std::vector<std::uint32_t>&a = result_.best.execution.threads[thread].actions,
          &b = result_.best.execution.threads[last].actions;
    return a.size() >= kBeginning && b.size() >= kBeginning && std::equal(a.begin(), a.begin() + kBeginning, b.begin());
  };
  Turns others(turns().begin(), turns().begin() + static_cast<std::ptrdiff_t>(removable_));
  std::copy_if(turns().begin() + static_cast<std::ptrdiff_t>(removable_), turns().end(), std::back_inserter(others),
               [&](const Turn& t) { return t.thread != last; });
  if (turns().size() - others.size() > kFewTurns) return false;
  others = tidy(std::move(others));
  std::unordered_set<std::uint32_t> asked;
  for (std::size_t i = others.size(); i-- > first_ && going();) {
    if (!begins_alike(others[i].thread) || !asked.insert(others[i].thread).second) continue;
    Turns guide = others;
    guide.push_back({others[i].thread, kAsLongAsItCan});
    if (attempt(guide)) return true;
  }
  return false;
}

void Simplifier::remove_last() {
  for (std::size_t i = turns().size(); i-- > removable_ && going();)
    if (i < turns().size() && !next_turn(turns(), i) && attempt(without(turns(), i)))
      i = std::min(i + 1, turns().size());  // what is at this place now
}

void Simplifier::consolidate_up() {
  for (std::size_t i = first_; i < turns().size() && going(); i++) {
    Cost before;
    do {
      before = cost();
      consolidate_up(i);
    } while (going() && i < turns().size() && cost() < before);
  }
}

void Simplifier::consolidate_up(std::size_t i) {
  const Turn turn = turns()[i];
  const std::optional<std::size_t> next = next_turn(turns(), i);
  if (!next && turn.preempted && !options_.exact && !options_.one_by_one) {
    attempt(stretched(turns(), i, kAsLongAsItCan));  // not in the paper: it never came back, but need not be preempted
    return;
  }
  if (!next || (!turn.preempted && !options_.one_by_one)) return;
  if (!attempt(pulled(turns(), i))) second_stage(i);
}

/// As far as the thread got when it was given all of its next turn.
void Simplifier::second_stage(std::size_t i) {
  if (!going() || !refused_ || i >= refused_->turns.size()) return;
  const Turn ours = turns()[i], theirs = refused_->turns[i];
  const std::string& name = result_.best.execution.threads[ours.thread].name;
  if (refused_->threads[theirs.thread].name != name || theirs.end <= ours.end || theirs.preempted ||
      theirs.end >= turns()[*next_turn(turns(), i)].end)
    return;
  attempt(stretched(turns(), i, theirs.end));
}

void Simplifier::consolidate_down(bool at_preemptions) {
  const auto asked = [&](std::size_t i) {
    return !at_preemptions || turns()[i].preempted || (i > 0 && turns()[i - 1].preempted);
  };
  for (std::size_t i = turns().size(); i-- > removable_ && going();)
    if (i < turns().size() && asked(i) && next_turn(turns(), i) && attempt(without(turns(), i)))
      i = std::min(i + 1, turns().size());
}

}  // namespace

Result<Simplified> simplify(Trials& trials, const Execution& original, Trial first, const SimplifyOptions& options,
                            const std::function<void(const SimplifyProgress&)>& on_progress) {
  return Simplifier(trials, original, std::move(first), options, on_progress).run();
}

}  // namespace heddle
