// A recording's hand-overs as a replay needs them: told to the thread before it gets there (abi/region.h, STOPS).
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "abi/events.h"

namespace heddle {

class StopTable {
 public:
  /// The steps of the recording, in order. A hand-over's `value` says in which hook since its thread's last step it
  /// was; one that is no point is where its thread had stopped when the run ended.
  void add(const HeddleEvent& step) {
    // A thread that never came to its first step waits for that by itself.
    if (!(step.flags & HEDDLE_EF_POINT) && step.thread != 0 && !last_entry_.contains(step.thread)) return;
    std::uint64_t& last = last_entry_[step.thread];  // 0: before its first step, which only main has
    if (step.kind == HEDDLE_EV_HANDOVER && (step.flags & HEDDLE_EF_VALUE))
      stops_[last] = static_cast<std::uint32_t>(step.value);
    if (!(step.flags & HEDDLE_EF_POINT)) return;
    last = stops_.size();
    stops_.push_back(0);
  }
  std::vector<std::uint32_t> take() { return std::move(stops_); }

 private:
  std::vector<std::uint32_t> stops_{0};
  std::unordered_map<std::uint32_t, std::uint64_t> last_entry_;
};

}  // namespace heddle
