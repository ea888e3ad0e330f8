// A program that is only operations: threads of steps at places, some of them locks (who does not hold a mutex
// does not unlock it); a semaphore begins with 1 at odd places and with 0 at even ones. For tests of enumerations
// without a process.
#pragma once
#include <vector>

#include "abi/decision.h"
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
  std::vector<HeddleDecision> run(const Prefix& prefix, std::vector<HeddleDecision>* pending = nullptr) const {
    std::vector<std::uint16_t> wanted;
    for (const HeddleSegment& segment : prefix)
      wanted.insert(wanted.end(), segment.steps, static_cast<std::uint16_t>(segment.thread));
    std::vector<std::size_t> at(threads.size());
    State state;
    std::vector<HeddleDecision> out;
    int current = -1;
    for (;;) {
      HeddleDecision event{};
      for (std::size_t t = 0; t < threads.size(); t++)
        if (can_run(t, at, state)) event.enabled |= 1ull << t;
      if (event.enabled == 0) {
        for (std::size_t t = 0; pending && t < threads.size(); t++)
          if (at[t] < threads[t].size()) pending->push_back(event_of(t, at[t]));
        return out;
      }
      int chosen = __builtin_ctzll(event.enabled);
      if (current >= 0 && event.enabled >> current & 1) {
        chosen = current;
        event.flags = HEDDLE_DECISION_COULD_STAY;
      }
      if (out.size() < wanted.size()) chosen = wanted[out.size()];
      const auto thread = static_cast<std::size_t>(chosen);
      HeddleDecision step = event_of(thread, at[thread]);
      step.enabled = event.enabled;
      step.flags = event.flags;
      state.execute(threads[thread][at[thread]++], chosen);
      out.push_back(step);
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
  struct State {
    std::vector<int> owner, count, readers;
    State() : owner(100, -1), count(100), readers(100) {
      for (std::size_t i = 1; i < count.size(); i += 2) count[i] = 1;
    }
    void execute(const ToyStep& step, int thread) {
      const std::size_t at = step.place;
      if (step.kind == HEDDLE_EV_MUTEX_LOCK || step.kind == HEDDLE_EV_RW_WRLOCK) owner[at] = thread;
      if (step.kind == HEDDLE_EV_MUTEX_UNLOCK && owner[at] == thread) owner[at] = -1;
      if (step.kind == HEDDLE_EV_SEM_WAIT) count[at]--;
      if (step.kind == HEDDLE_EV_SEM_POST) count[at]++;
      if (step.kind == HEDDLE_EV_RW_RDLOCK) readers[at]++;
      if (step.kind == HEDDLE_EV_RW_UNLOCK) owner[at] == thread ? owner[at] = -1 : readers[at]--;
    }
    bool can_execute(const ToyStep& step) const {
      const std::size_t at = step.place;
      if (step.kind == HEDDLE_EV_MUTEX_LOCK || step.kind == HEDDLE_EV_RW_RDLOCK) return owner[at] < 0;
      if (step.kind == HEDDLE_EV_RW_WRLOCK) return owner[at] < 0 && readers[at] == 0;
      return step.kind != HEDDLE_EV_SEM_WAIT || count[at] > 0;
    }
  };

  HeddleDecision event_of(std::size_t thread, std::size_t at) const {
    const ToyStep& step = threads[thread][at];
    HeddleDecision event{};
    event.thread = static_cast<std::uint16_t>(thread);
    event.name = event.thread + 1u;
    event.kind = static_cast<std::uint8_t>(step.kind);
    event.site = static_cast<std::uint32_t>(thread * 100 + at + 1);
    event.object = step.kind >= HEDDLE_EV_MUTEX_LOCK ? step.place : 0;
    event.address = step.place * 64;
    return event;
  }

  bool can_run(std::size_t t, const std::vector<std::size_t>& at, const State& state) const {
    return at[t] < threads[t].size() && state.can_execute(threads[t][at[t]]);
  }
};

inline std::vector<int> threads_of(const std::vector<HeddleDecision>& decisions) {
  std::vector<int> out;
  for (const HeddleDecision& decision : decisions) out.push_back(decision.thread);
  return out;
}

}  // namespace heddle
