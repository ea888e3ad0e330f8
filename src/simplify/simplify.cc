// Rules of this file: `best_` is always something that was executed and failed in the same way. The turns before the
// one that an operation changes are executed exactly as they were, since the program is deterministic under control; so
// indices below it stay valid over an accepted change, and an operation whose effect is known from that is not
// executed: a thread that could not go on at the end of its turn cannot be given more there, so Consolidate Up at a
// switch that is no preemption equals Consolidate Down of the thread's next turn.
#include "src/simplify/simplify.h"

#include <algorithm>
#include <unordered_set>

#include "src/simplify/operations.h"

namespace heddle {
namespace {

constexpr std::size_t kSmallestChunk = 4;  // turns: less is left to the operations one by one

class Simplifier {
 public:
  Simplifier(Trials& trials, const Execution& original, Trial first, const SimplifyOptions& options,
             const std::function<void(const SimplifyProgress&)>& on_progress)
      : trials_(trials), original_(original), options_(options), on_progress_(on_progress) {
    result_.best = std::move(first);
    const std::size_t switches = turns().empty() ? 0 : turns().size() - 1;
    if (options.suffix && options.suffix < switches) first_ = switches - options.suffix;
    remember(turns());
  }

  Result<Simplified> run() {
    if (!options_.one_by_one) by_bisection();
    do {
      tinertia();
    } while (going() && !options_.one_by_one && remove_pair());
    if (error_) return std::unexpected(*error_);
    return std::move(result_);
  }

 private:
  const Turns& turns() const { return result_.best.execution.turns; }
  const Cost& cost() const { return result_.best.execution.cost; }
  bool going() const { return !error_ && !result_.interrupted; }

  bool remember(const Turns& guide);
  bool attempt(const Turns& guide);
  void by_bisection();
  void gather_tail();
  void gather_head();
  void gather_chunks(std::size_t first, std::size_t last);
  void tinertia();
  bool remove_pair();
  void remove_last();
  void consolidate_up();
  void consolidate_up(std::size_t i);
  void second_stage(std::size_t i);
  void consolidate_down();

  Trials& trials_;
  const Execution& original_;
  const SimplifyOptions& options_;
  const std::function<void(const SimplifyProgress&)>& on_progress_;
  std::size_t first_ = 0;  // turns before it stay
  std::size_t tail_ = 0;   // turns from here on were gathered
  Simplified result_;
  std::optional<Execution> refused_;  // the last attempt, if it was executed and not accepted
  std::unordered_set<std::uint64_t> tried_;
  std::optional<Error> error_;
};

/// False: it is known. What threads do up to the end of each turn identifies a guide over all executions.
bool Simplifier::remember(const Turns& guide) {
  std::uint64_t key = guide.size();
  for (const Turn& turn : guide) {
    const Path& path = result_.best.execution.threads[turn.thread];
    const std::uint64_t prefix = turn.end < path.prefixes.size() ? path.prefixes[turn.end] : ~path.prefixes.front();
    key = ((key ^ prefix) * 0x9e3779b97f4a7c15ull ^ turn.joined) * 0xbf58476d1ce4e5b9ull;
    key ^= key >> 31;
  }
  return tried_.insert(key).second;
}

bool Simplifier::attempt(const Turns& guide) {
  refused_.reset();
  if (!going() || (!remember(guide) && !options_.one_by_one)) return false;
  if (options_.stop && options_.stop->load(std::memory_order_relaxed)) return result_.interrupted = true, false;
  Result<Trial> trial = trials_.execute(result_.best.execution, guide);
  if (!trial) {
    if (options_.stop && options_.stop->load(std::memory_order_relaxed))
      result_.interrupted = true;
    else
      error_ = trial.error();
    return false;
  }
  result_.interrupted |= trial->interrupted;
  const bool accepted = trial->same_failure && trial->execution.cost < cost() &&
                        (!options_.exact || is_variant(trial->execution, original_));
  if (accepted)
    result_.best = std::move(*trial);
  else
    refused_ = std::move(trial->execution);
  if (on_progress_) on_progress_({cost(), trials_.executions()});
  return accepted;
}

void Simplifier::by_bisection() {
  attempt({turns().begin(), turns().begin() + static_cast<std::ptrdiff_t>(first_)});  // nobody leads
  gather_tail();
  gather_head();
  gather_chunks(first_, turns().size());
}

/// The shortest beginning that is needed as it is: behind it no thread is preempted before it is as far as it was.
void Simplifier::gather_tail() {
  std::size_t needed = first_, enough = turns().size();
  if (can_gather(turns(), first_, enough) && attempt(gathered(turns(), first_, enough))) return void(tail_ = first_);
  while (going() && enough - needed > 1) {
    const std::size_t middle = needed + (enough - needed) / 2;
    if (can_gather(turns(), middle, turns().size()) && attempt(gathered(turns(), middle, turns().size())))
      enough = middle;
    else
      needed = middle;
  }
  tail_ = std::min(enough, turns().size());
}

/// The longest beginning in which no preemption is needed. What lies behind it is counted from the end.
void Simplifier::gather_head() {
  const std::size_t behind = turns().size() - tail_;  // gathered already
  std::size_t fine = first_;                          // turns before it are gathered
  std::size_t refused = turns().size() - behind;
  while (going() && refused > fine + 1) {
    const std::size_t middle = fine + (refused - fine) / 2, after = turns().size() - middle,
                      refused_after = turns().size() - refused;
    if (can_gather(turns(), first_, middle) && attempt(gathered(turns(), first_, middle))) {
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
  if (attempt(gathered(turns(), first, last))) return;
  const std::size_t middle = first + (last - first) / 2;
  gather_chunks(middle, last);
  gather_chunks(first, middle);
}

/// Algorithm 1 of the paper.
void Simplifier::tinertia() {
  Cost before;
  do {
    before = cost();
    result_.rounds++;
    remove_last();
    consolidate_up();
    consolidate_down();
  } while (going() && cost() < before);
}

/// Not in the paper: two threads that need each other, say a producer and its consumer, are left out together or not at
/// all. Only threads of one turn, so this costs few executions.
bool Simplifier::remove_pair() {
  const auto only_turn = [&](std::size_t i) {
    return std::ranges::count(turns(), turns()[i].thread, &Turn::thread) == 1;
  };
  for (std::size_t i = turns().size(); i-- > first_ + 1 && going();)
    if (only_turn(i) && only_turn(i - 1) && attempt(without(without(turns(), i), i - 1))) return true;
  return false;
}

void Simplifier::remove_last() {
  for (std::size_t i = turns().size(); i-- > first_ && going();)
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

void Simplifier::consolidate_down() {
  for (std::size_t i = turns().size(); i-- > first_ && going();)
    if (i < turns().size() && next_turn(turns(), i) && attempt(without(turns(), i)))
      i = std::min(i + 1, turns().size());
}

}  // namespace

Result<Simplified> simplify(Trials& trials, const Execution& original, Trial first, const SimplifyOptions& options,
                            const std::function<void(const SimplifyProgress&)>& on_progress) {
  return Simplifier(trials, original, std::move(first), options, on_progress).run();
}

}  // namespace heddle
