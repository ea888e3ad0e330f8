// One run of a hunt on a thread of the pool: executed, observed, and reduced to what the hunt learns from it.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "src/engine/environment.h"
#include "src/engine/execute.h"
#include "src/engine/pool.h"
#include "src/hunt/hunt.h"
#include "src/hunt/observation.h"

namespace heddle {

/// A run as it is planned.
struct HuntRun {
  std::uint64_t index = 0;
  std::uint64_t attempt = 0;  // of the hunt: outcomes of an earlier one do not count
  bool survey = false;
  RunRequest request;
};

enum class SameInput { kSame, kOther, kRandom };  // of runs that follow one schedule

/// What came of it.
struct HuntOutcome {
  std::uint64_t index = 0, attempt = 0;
  Result<RunOutcome> outcome;  // judged; with evidence if it failed, or was the first one to show a race
  std::optional<Observation> seen;
  std::string inputs;  // of an exhaustive strategy's runs
  SameInput input = SameInput::kSame;
  bool stopped = false;  // the pool was over when it ended
};

using HuntPool = Pool<HuntRun, HuntOutcome>;

inline std::pair<std::uint32_t, std::uint32_t> site_pair(const HeddleRace& race) {
  return std::minmax(race.first_site, race.second_site);
}

/// What hands tell each other while runs before theirs are not absorbed yet: it saves work and changes no result. With a
/// lock of its own.
class Noticed {
 public:
  /// Forgets what outcomes of earlier attempts said.
  void begin(std::uint64_t attempt);
  /// Has no run before this one been seen to show one of its races?
  bool first_to_show_a_race(std::uint64_t attempt, std::uint64_t index, const std::vector<HeddleRace>& races);
  void failed(std::uint64_t attempt, std::uint64_t index);
  /// The lowest run that has failed; ~0: none.
  std::uint64_t lowest_failing() const;

  /// From here on all runs have all hooks: those with light clones had to be repeated.
  std::atomic<bool> no_light{false};
  void merge(const EnvironmentReads& reads);
  EnvironmentReads environment() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t attempt_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shown_;  // races: the lowest run
  std::uint64_t lowest_failing_ = ~0ull;
  EnvironmentReads environment_;
};

/// Hands for the runs of `request`; both must outlive the pool.
HuntPool::MakeHand hunters(const HuntRequest& request, Noticed& noticed);

}  // namespace heddle
