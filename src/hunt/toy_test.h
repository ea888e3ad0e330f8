// A program that is only operations: threads of steps at places, some of them locks. For tests of enumerations without
// a process.
#pragma once
#include <vector>

#include "abi/events.h"
#include "abi/region.h"
#include "src/hunt/enumeration.h"

namespace heddle {

struct ToyStep {
  std::uint32_t place = 0;  // 0: touches nothing
  std::uint32_t kind = HEDDLE_EV_ATOMIC_RMW;
};

struct Toy {
  std::vector<std::vector<ToyStep>> threads;

  /// As runtime/strategy/prefix.cc does: `prefix`, then without preemptions. Ends early when nobody can go on.
  std::vector<HeddleEvent> run(const Prefix& prefix) const {
    std::vector<std::uint16_t> wanted;
    for (const HeddleSegment& segment : prefix)
      wanted.insert(wanted.end(), segment.steps, static_cast<std::uint16_t>(segment.thread));
    std::vector<std::size_t> at(threads.size());
    std::vector<int> owner(100, -1);
    std::vector<HeddleEvent> out;
    int current = -1;
    for (;;) {
      HeddleEvent event{};
      for (std::size_t t = 0; t < threads.size(); t++)
        if (can_run(t, at, owner)) event.value |= 1ull << t;
      if (event.value == 0) return out;
      int chosen = __builtin_ctzll(event.value);
      if (current >= 0 && event.value >> current & 1) {
        chosen = current;
        event.flags = HEDDLE_OF_COULD_STAY;
      }
      if (out.size() < wanted.size()) chosen = wanted[out.size()];
      const ToyStep& step = threads[static_cast<std::size_t>(chosen)][at[static_cast<std::size_t>(chosen)]++];
      event.thread = static_cast<std::uint16_t>(chosen);
      event.stack = event.thread + 1u;
      event.kind = static_cast<std::uint8_t>(step.kind);
      event.site = static_cast<std::uint32_t>(chosen * 100 + static_cast<int>(at[static_cast<std::size_t>(chosen)]));
      event.object = step.kind >= HEDDLE_EV_MUTEX_LOCK ? step.place : 0;
      event.address = step.place * 64;
      if (step.kind == HEDDLE_EV_MUTEX_LOCK) owner[step.place] = chosen;
      if (step.kind == HEDDLE_EV_MUTEX_UNLOCK) owner[step.place] = -1;
      out.push_back(event);
      current = chosen;
    }
  }

  int preemptions(const std::vector<int>& schedule) const {
    std::vector<std::size_t> left(threads.size());
    int count = 0;
    for (std::size_t i = 0; i < schedule.size(); i++) {
      if (i > 0 && schedule[i] != schedule[i - 1])
        count +=
            left[static_cast<std::size_t>(schedule[i - 1])] < threads[static_cast<std::size_t>(schedule[i - 1])].size();
      left[static_cast<std::size_t>(schedule[i])]++;
    }
    return count;
  }

 private:
  bool can_run(std::size_t t, const std::vector<std::size_t>& at, const std::vector<int>& owner) const {
    if (at[t] == threads[t].size()) return false;
    const ToyStep& step = threads[t][at[t]];
    return step.kind != HEDDLE_EV_MUTEX_LOCK || owner[step.place] < 0;
  }
};

inline std::vector<int> threads_of(const std::vector<HeddleEvent>& decisions) {
  std::vector<int> out;
  for (const HeddleEvent& decision : decisions) out.push_back(decision.thread);
  return out;
}

}  // namespace heddle
