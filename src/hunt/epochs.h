// What makes run i of a hunt a function of (seed, i, epoch set), whatever the number of workers and their speed.
//
// Runs are grouped into epochs with fixed boundaries: [0,1) [1,2) [2,4) [4,8) [8,16) ..., at most 4096
// runs each. What a run teaches (races, lengths) is used from the next epoch on, and is merged in the order of run
// indices.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "abi/events.h"
#include "abi/region.h"
#include "src/hunt/enumeration.h"
#include "src/hunt/knowledge.h"
#include "src/hunt/portfolio.h"
#include "src/hunt/timeouts.h"

namespace heddle {

/// What the runs of one epoch share.
struct Epoch {
  std::uint64_t first = 0, end = 1;
  std::vector<std::uint32_t> points;         // racy static sites, ascending
  std::uint64_t longest = 0;                 // steps of the longest run of earlier epochs
  std::uint64_t accesses = 0;  // plain accesses of the run with most, among fully hooked ones of earlier epochs
  std::shared_ptr<const Targets> targets;    // what earlier epochs taught; null: nothing
  std::map<std::uint64_t, Prefix> prefixes;  // icb, dfs, dpor: by run
  Mix mix;                                   // of auto
  TimeoutPlan timeouts;
  bool survey = false;  // its one run has a point at every access: what could race there are points from then on
};

/// First index behind the epoch that holds `index`.
std::uint64_t epoch_end(std::uint64_t index);

/// What one run taught.
struct Lesson {
  std::uint64_t steps = 0;
  std::vector<HeddleRace> races;
  std::optional<Observation> seen;
  std::uint32_t timed_waits = 0;
  std::vector<HeddleSegment> choices;     // when it was the first to show a race, and did not fail
  std::vector<std::uint32_t> could_race;  // sites, of a survey
  std::uint64_t accesses = 0;             // as far as they had hooks
};

/// The epoch behind `epoch`. `lessons` may lack runs (the hunt was interrupted), not hold others.
Epoch next_epoch(const Epoch& epoch, const std::map<std::uint64_t, Lesson>& lessons);

/// Is a program of which one run was this small enough for a survey: an access costs as much as a point there?
bool worth_a_survey(const HeddleResult& run);

/// Can a thread be switched at both sides of it, once these are points?
bool both_can_be_points(const HeddleRace& race);

/// Does each side of the race stand where a thread can be switched?
bool at_points(const HeddleRace& race, const Epoch& epoch, HeddlePointSet points);

/// The detector costs time: it watches all early runs and then every eighth; of programs with very many accesses the
/// first ten and then one in 64. The runs between them are light (abi/light.h).
enum class DetectorUse { kAuto, kOn, kOff };
bool detector_on(DetectorUse use, const Epoch& epoch, std::uint64_t index);

/// Steps after which a run counts as a livelock: generous, and known before the epoch starts.
std::uint64_t step_limit(const Epoch& epoch);

}  // namespace heddle
