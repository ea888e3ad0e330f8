// What a hunt has learned about the program, and what it tells the strategies of the next runs: pairs of sites that
// raced or locked the same lock (racedirected), groups of sites with numbers of events by thread (surw), reads-from
// pairs (rff).
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "src/engine/areas.h"
#include "src/hunt/coverage.h"
#include "src/hunt/observation.h"
#include "src/hunt/strategy.h"

namespace heddle {

/// A run that was the first to show a race, and did not fail.
struct RaceRun {
  SitePair sites;
  std::uint64_t step = 0;  // at which it showed the race
  std::vector<HeddleSegment> choices;
  std::vector<std::uint32_t> points;  // of its epoch, ascending; not those of the race
};

/// As it was at the end of an epoch: does not change any more.
struct Targets {
  struct Group {
    std::vector<std::uint32_t> sites;    // that touched common memory, ascending
    std::vector<HeddleThreadEvents> threads;
  };
  std::vector<SitePair> races, locks;
  std::vector<Group> groups;           // more than one thread each; the last one: all sites
  std::vector<SitePair> seen, unseen;  // reads-from pairs; unseen: could be, by their groups
  struct Abstract {
    std::vector<SitePair> wanted, unwanted;  // reads-from pairs
  };
  std::vector<Abstract> corpus;  // abstract schedules that showed new pairs
  std::vector<std::shared_ptr<const RaceRun>> race_runs;  // the latest ones
};

/// What a run is.
struct Pick {
  Strategy strategy;
  std::uint64_t ordinal;  // runs of this strategy before it in the hunt
};

/// What a run of its strategy is told.
struct Aim {
  RunTargets targets;
  std::vector<HeddleSegment> schedule;  // to follow first
};

/// A function of its arguments. What can be aimed at comes up in turn, in another order with each seed and round: one
/// is not aimed at twice before all others were once.
Aim aim_of(const Pick& pick, const Targets& targets, std::uint64_t seed);

/// Of a follow-up: whose schedule it follows. targets.race_runs is not empty.
const RaceRun& followed(const Pick& pick, const Targets& targets, std::uint64_t seed);

class Knowledge {
 public:
  /// Returns whether it is new.
  bool learn_race(SitePair sites) { return races_.insert(sites).second; }
  void learn_race_run(RaceRun run);
  /// `told`: what the run was told when it was one of rff.
  void learn(const Observation& seen, const std::vector<HeddleReadsFrom>& told);
  std::shared_ptr<const Targets> targets() const;

 private:
  std::uint32_t group_of(std::uint32_t site) const;
  Targets::Group group(const std::vector<std::uint32_t>& sites) const;
  void add_reads_from(const std::vector<std::uint32_t>& sites, Targets& out) const;

  std::set<SitePair> races_, locks_, reads_from_;
  std::map<std::uint32_t, std::uint32_t> joined_;   // union-find over sites
  std::map<std::uint32_t, std::uint32_t> kinds_;    // by site
  std::map<SitePair, std::uint32_t> counts_;        // by (site, thread): most in a run
  std::map<std::uint32_t, std::uint32_t> parents_;  // by thread
  std::vector<Targets::Abstract> corpus_;
  std::vector<std::shared_ptr<const RaceRun>> race_runs_;
};

}  // namespace heddle
