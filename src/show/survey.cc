#include "src/show/survey.h"

#include <algorithm>
#include <bit>

#include "src/show/names.h"
#include "src/show/spans.h"

namespace heddle {
namespace {

constexpr int kMinBits = 10, kMaxBits = 21;
constexpr std::uint16_t kMany = 0xffff;
constexpr std::uint64_t kMaxGranules = 512;  // of a range that are looked at: 4 KiB

/// First granule of 8 bytes and number of granules that the event touches.
std::pair<std::uint64_t, std::uint64_t> granules(const HeddleEvent& e) {
  const bool range = e.kind == HEDDLE_EV_READ_RANGE || e.kind == HEDDLE_EV_WRITE_RANGE;
  const std::uint64_t size =
      range ? std::min<std::uint64_t>(e.value, kMaxGranules * 8) : std::uint64_t{1} << (e.flags & HEDDLE_EF_SIZE);
  const std::uint64_t first = e.address >> 3;
  return {first, size == 0 ? 0 : ((e.address + size - 1) >> 3) - first + 1};
}

constexpr std::uint64_t kNever = ~0ull;

}  // namespace

SharedMemory::SharedMemory(std::uint64_t events)
    : shift_(64 - static_cast<unsigned>(std::clamp(static_cast<int>(std::bit_width(events)) + 4, kMinBits, kMaxBits))),
      owner_(std::size_t{1} << (64 - shift_)) {}

void SharedMemory::touch(const HeddleEvent& e) {
  if (e.address == 0) return;
  const auto me = static_cast<std::uint16_t>(e.thread % 0xfffe + 1);
  auto [granule, n] = granules(e);
  for (n = std::min(n, kMaxGranules); n > 0; --n, ++granule) {
    std::uint16_t& owner = owner_[slot(granule)];
    if (owner != me) owner = owner == 0 ? me : kMany;
  }
}

bool SharedMemory::shared(const HeddleEvent& e) const {
  auto [granule, n] = granules(e);
  for (n = std::min(n, kMaxGranules); n > 0; --n, ++granule)
    if (owner_[slot(granule)] == kMany) return true;
  return false;
}

std::vector<bool> threads_that_could_run(const TraceHead& head) {
  std::vector<bool> could(head.threads.size(), false);
  if (!head.failure) return could;
  for (const ThreadAtFailure& t : head.failure->threads) {
    const auto it = std::ranges::find(head.threads, t.thread, &ThreadRecord::name);
    const bool can = t.state.activity == Activity::kRunning || t.state.activity == Activity::kAboutTo;
    if (it != head.threads.end()) could[static_cast<std::size_t>(it - head.threads.begin())] = can;
  }
  return could;
}

namespace {

/// Of a thread that waits for a lock at the end, the events do not tell whether it could have gone on when it was left.
/// The lock does: if it was taken only later, it was free then.
class LocksOfDeadlock {
 public:
  explicit LocksOfDeadlock(const TraceHead& head) : head_(head) {
    if (!head.failure) return;
    for (const DeadlockEdge& e : head.failure->deadlock)
      if (e.object_id != 0) edges_.push_back({e.thread, e.object_id, kNever});
  }
  void add(const HeddleEvent& e, std::uint64_t index) {
    if (e.object == 0 || edges_.empty() || !takes_a_lock(e)) return;
    for (Edge& edge : edges_)
      if (edge.object == e.object) edge.taken = index;
  }
  /// `left`: by thread, the event at which another one went on.
  bool was_free(std::size_t thread, std::uint64_t left) const {
    return std::ranges::any_of(edges_, [&](const Edge& e) {
      return e.taken != kNever && e.taken >= left && thread < head_.threads.size() &&
             head_.threads[thread].name == e.thread;
    });
  }

 private:
  struct Edge {
    std::string thread;
    std::uint32_t object;
    std::uint64_t taken;
  };
  const TraceHead& head_;
  std::vector<Edge> edges_;
};

}  // namespace

Survey survey(const TraceReader& trace, const std::vector<bool>& could_run) {
  Survey s(trace.event_count(), trace.head());
  std::vector<std::uint64_t> left_at;   // by thread: number of the switch that left it
  std::vector<std::uint64_t> switched;  // event by switch
  LocksOfDeadlock locks(trace.head());
  std::uint64_t index = 0;
  std::uint16_t current = 0;
  bool any = false;
  // A block that does not decode ends the story: what is before it is shown.
  (void)trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& e : events) {
      if (e.thread >= s.thread_events.size()) {
        s.thread_events.resize(e.thread + 1u);
        left_at.resize(e.thread + 1u, kNever);
      }
      ++s.thread_events[e.thread];
      s.memory.touch(e);
      s.momentary.add(e);
      s.counter.add(e);
      if (any && e.thread != current) {
        left_at[current] = s.preempted.size();
        s.preempted.push_back(false);
        switched.push_back(index);
      }
      if ((e.flags & HEDDLE_EF_PREEMPTED) && left_at[e.thread] != kNever) s.preempted[left_at[e.thread]] = true;
      left_at[e.thread] = kNever;
      locks.add(e, index++);
      current = e.thread;
      any = true;
    }
    return true;
  });
  for (std::size_t t = 0; t < left_at.size(); ++t)
    if (left_at[t] != kNever && ((t < could_run.size() && could_run[t]) || locks.was_free(t, switched[left_at[t]])))
      s.preempted[left_at[t]] = true;
  return s;
}

}  // namespace heddle
