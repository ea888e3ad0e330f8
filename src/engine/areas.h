// What a run is given beside its parameters and schedule, as values: targets of a strategy, a guide. Each has an area
// of the region (abi/targets.h, abi/guide.h).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "abi/guide.h"
#include "abi/targets.h"
#include "src/engine/region.h"

namespace heddle {

struct RunTargets {
  std::vector<std::uint32_t> sites;
  std::vector<HeddleThreadEvents> threads;
  std::optional<HeddleRaceTarget> race;
  std::vector<HeddleReadsFrom> reads_from;  // those that are not forbidden first
  bool empty() const { return sites.empty() && threads.empty() && !race && reads_from.empty(); }
};

struct Guide {
  std::vector<HeddleGuidePath> paths;
  std::vector<HeddleGuideTurn> turns;
  std::vector<std::uint32_t> actions;
  bool anywhere = false, early = false;  // as in HeddleGuide
};

/// False: it does not fit.
bool write_targets(Region& region, const RunTargets& targets);
bool write_guide(Region& region, const Guide& guide);

}  // namespace heddle
