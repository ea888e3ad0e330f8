// A random schedule, executed again on either backend, gives the same events and the same outcome.
//
// Points: sync, all, and sync with the sites that raced so far, in turn. The recording has its accesses, the replays
// their branches too: what is compared with the recording leaves the branches out, the two replays are compared in
// full, and so is the order that src/order computes of them.
#include <set>

#include <fmt/format.h>

#include "src/order/order.h"
#include "tests/laws/difference.h"
#include "tests/laws/law.h"

namespace heddle::laws {
namespace {

class Recorder {
 public:
  explicit Recorder(Subject& subject) : subject_(subject) {}

  RunRequest plan(std::uint64_t seed) const {
    RunRequest request = subject_.random(seed);
    request.parameters.detail = kAccessesDetail;
    request.parameters.detector = seed < 16;
    constexpr HeddlePointSet kSets[] = {HEDDLE_POINTS_RACY, HEDDLE_POINTS_ALL, HEDDLE_POINTS_SYNC, HEDDLE_POINTS_RACY};
    request.parameters.point_set = kSets[seed % 4];
    if (request.parameters.point_set == HEDDLE_POINTS_RACY) request.points.assign(racy_.begin(), racy_.end());
    return request;
  }
  void learn(const Execution& run) {
    for (const HeddleRace& race : run.outcome.races)
      for (std::uint32_t site : {race.first_site, race.second_site})
        if (site != 0 && !(site & HEDDLE_SITE_PC)) racy_.insert(site);
  }

 private:
  Subject& subject_;
  std::set<std::uint32_t> racy_;
};

/// Event ids mean the same in both: by them, the same events synchronise and conflict.
std::string order_difference(const Execution& a, const Execution& b) {
  Order first, second;
  if (!first.add(a.events) || !second.add(b.events)) return "events that no run has";
  if (first.edges() != second.edges() || first.conflicts() != second.conflicts())
    return fmt::format("{} edges and {} conflicts, then {} and {}", first.edges(), first.conflicts(), second.edges(),
                       second.conflicts());
  for (std::size_t i = 0; i < first.edges(); i++)
    if (!(first.edge(i) == second.edge(i))) return fmt::format("synchronisation edge {} is between other events", i);
  for (std::size_t i = 0; i < first.conflicts(); i++)
    if (!(first.conflict(i) == second.conflict(i))) return fmt::format("conflict {} is between other events", i);
  return {};
}

}  // namespace

void replay_is_exact(Subject& subject, std::uint64_t schedules, const Report& broken) {
  Recorder recorder(subject);
  for (std::uint64_t seed = 0; seed < schedules; seed++) {
    RunRequest request = recorder.plan(seed);
    Execution recorded = subject.run(request);
    recorder.learn(recorded);
    Execution replays[2];
    std::string why[2];
    for (std::uint32_t backend : {HEDDLE_BACKEND_BATON, HEDDLE_BACKEND_FIBERS}) {
      RunRequest again = subject.replay_of(request, recorded);
      again.parameters.backend = backend;
      again.parameters.detail = kBranchesDetail;
      replays[backend] = subject.run(again);
      why[backend] = outcome_difference(subject, recorded, replays[backend]);
      if (std::string events = event_difference(subject, recorded, replays[backend], Compared::kAllButBranches);
          !events.empty())
        why[backend] += (why[backend].empty() ? "" : "\n    ") + events;
      if (!why[backend].empty()) broken(fmt::format("seed {}, {}: {}", seed, backend_name(backend), why[backend]));
    }
    if (!why[0].empty() || !why[1].empty()) continue;
    if (std::string events = event_difference(subject, replays[0], replays[1], Compared::kEverything); !events.empty())
      broken(fmt::format("seed {}, fibers against baton: {}", seed, events));
    if (std::string order = order_difference(replays[0], replays[1]); !order.empty())
      broken(fmt::format("seed {}, fibers against baton: {}", seed, order));
  }
}

}  // namespace heddle::laws
