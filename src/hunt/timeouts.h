// Early time-outs in the runs of a hunt (HEDDLE_TIME_LOOSE): in which runs, and how many of the waits. Rare by default,
// more frequent where such runs show more that is new than the others do.
#pragma once
#include <cstdint>

namespace heddle {

enum class TimeModel { kLoose, kVirtual };

/// What the runs of one epoch share.
struct TimeoutPlan {
  std::uint32_t waits = 0;  // most timed waits seen in a run of earlier epochs; 0: there is nothing to choose
  std::uint32_t share = 0;  // of 16 runs, so many have early time-outs

  /// HeddleRun::early_timeouts of run `index`. The first run has none: it is the one that is like most real ones.
  std::uint32_t chance(std::uint64_t seed, std::uint64_t index) const;
};

/// Learns from run to run, in the order of run indices.
class TimeoutShare {
 public:
  /// One run: how many timed waits it had, whether some could end early, and whether it was observed to show something
  /// new.
  void learn(std::uint32_t waits, bool early, bool observed, bool is_new);
  TimeoutPlan next() const;

 private:
  struct Side {
    std::uint64_t observed = 0, news = 0;
    double rate() const { return (static_cast<double>(news) + 1) / (static_cast<double>(observed) + 2); }
  };
  Side early_, due_;
  std::uint32_t waits_ = 0;
};

}  // namespace heddle
