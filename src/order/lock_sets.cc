#include "src/order/lock_sets.h"

#include <algorithm>
#include <utility>

#include "src/order/operation.h"
#include "src/trace/kinds.h"

namespace heddle {

LockSets::Thread& LockSets::of(std::uint16_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1u);
  return threads_[thread];
}

bool LockSets::take(std::uint16_t thread, const Hold& hold) {
  if (hold.mode == LockMode::kAlone) {
    const auto [it, is_new] = alone_.try_emplace(hold.object, thread);
    Thread& before = of(std::exchange(it->second, thread));
    if (!is_new && &before != &of(thread) &&
        std::erase_if(before.holds, [&](const Hold& h) { return h.object == hold.object; }) > 0)
      note(before);
  }
  std::vector<Hold>& holds = of(thread).holds;
  if (auto it = std::ranges::find(holds, hold.object, &Hold::object); it != holds.end()) {
    it->depth += hold.depth;
    return false;
  }
  holds.push_back(hold);
  return true;
}

bool LockSets::give_back(std::uint16_t thread, std::uint32_t object) {
  std::vector<Hold>& holds = of(thread).holds;
  const auto it = std::ranges::find(holds, object, &Hold::object);
  if (it == holds.end() || --it->depth > 0) return false;
  holds.erase(it);
  return true;
}

std::uint32_t LockSets::mutex_of_wait(const HeddleEvent& event) const {
  if (event.flags & HEDDLE_EF_VALUE && event.value != 0) return static_cast<std::uint32_t>(event.value);
  // Older traces do not name the mutex: then it is the one that was taken last.
  if (event.thread >= threads_.size()) return 0;
  const std::vector<Hold>& holds = threads_[event.thread].holds;
  const auto last = std::ranges::find(holds.rbegin(), holds.rend(), LockMode::kAlone, &Hold::mode);
  return last == holds.rend() ? 0 : last->object;
}

bool LockSets::give_up(const HeddleEvent& event) {
  Thread& thread = of(event.thread);
  const auto it = std::ranges::find(thread.holds, mutex_of_wait(event), &Hold::object);
  thread.given_up = {};
  if (it == thread.holds.end()) return false;
  thread.given_up = *it;
  thread.holds.erase(it);
  return true;
}

/// What a successful acquisition takes. Of a try that can be either older traces do not tell: then it excludes nobody.
LockSets::Hold LockSets::taken_by(const HeddleEvent& event) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  const bool either = c == HEDDLE_C_TRY_EITHER, told = (event.flags & HEDDLE_EF_VALUE) != 0;
  const bool shared = either ? !told || event.value == 0 : c == HEDDLE_C_SHARED_ACQUIRE;
  return {event.object, 1, shared ? LockMode::kShared : LockMode::kAlone, !either || told};
}

/// True: the thread's set is another one behind the event.
bool LockSets::change(const HeddleEvent& event) {
  const HeddleEventClass c = heddle_event_class(event.kind);
  const bool failed = outcome(event, EventSource::kTrace) == Outcome::kFailed;
  if (acquires(c)) return !failed && event.object != 0 && take(event.thread, taken_by(event));
  if (c == HEDDLE_C_RELEASE) return !failed && give_back(event.thread, event.object);
  if (heddle_object_class(event.kind) != HEDDLE_O_CONDITION) return false;
  if (c == HEDDLE_C_WAIT) return give_up(event);
  Thread& thread = of(event.thread);
  if (c != HEDDLE_C_AWAIT || thread.given_up.depth == 0) return false;
  return take(event.thread, std::exchange(thread.given_up, {}));  // also when its time was over
}

/// The set of the thread's next event.
void LockSets::note(Thread& thread) {
  std::vector<HeldLock> set;
  for (const Hold& hold : thread.holds) set.push_back({hold.object, hold.mode});
  std::ranges::sort(set);
  const auto [it, is_new] = numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(std::move(set));
  thread.changes.push_back({thread.next, it->second});
}

void LockSets::execute(const HeddleEvent& event, std::uint32_t n) {
  of(event.thread).next = n + 1;
  if (change(event)) note(of(event.thread));
}

std::span<const HeldLock> LockSets::held(EventId event) const {
  if (event.thread >= threads_.size()) return {};
  const std::vector<Change>& changes = threads_[event.thread].changes;
  const auto behind = std::ranges::upper_bound(changes, event.n, {}, &Change::from);
  return behind == changes.begin() ? std::span<const HeldLock>{} : sets_[std::prev(behind)->set];
}

bool LockSets::surely_shares(std::uint16_t thread, std::uint32_t object) const {
  return thread < threads_.size() && std::ranges::any_of(threads_[thread].holds, [&](const Hold& hold) {
           return hold.object == object && hold.mode == LockMode::kShared && hold.sure;
         });
}

}  // namespace heddle
