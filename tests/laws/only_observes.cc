// Laws about runs of one seed that differ only in what must not matter: backend, detector, detail.
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "tests/laws/difference.h"
#include "tests/laws/law.h"

namespace heddle::laws {
namespace {

// From outside: those that the program sends itself are not among its inputs.
bool has_signal(const std::string& inputs) {
  for (std::size_t at = 0; at + sizeof(HeddleInput) <= inputs.size();) {
    HeddleInput record;
    std::memcpy(&record, inputs.data() + at, sizeof record);
    if (record.kind == HEDDLE_IN_SIGNAL) return true;
    at += sizeof record + ((std::size_t{record.size} + 7) & ~std::size_t{7});
  }
  return false;
}

// When a signal comes from outside, and when a thread comes back from a blocking call, is decided outside, like the
// data that it brings: recorded for a replay, but the next run of the same seed may be told otherwise.
bool waits_outside(Subject& subject, const RunRequest& request, const Execution& run) {
  RunRequest again = subject.replay_of(request, run);
  again.parameters.detail = kPointsDetail;
  for (const HeddleEvent& e : subject.run(again).events)
    if (e.kind == HEDDLE_EV_IO_LEAVE || e.kind == HEDDLE_EV_FORK) return true;
  return has_signal(run.outcome.evidence->inputs);
}

// Inputs of two runs are never quite equal (process ids, times of files): where they may be the reason, the second run
// gets those of the first, under the same seed and strategy.
std::string difference(Subject& subject, const RunRequest& request, const Execution& expected,
                       const Execution& actual) {
  std::string why = outcome_difference(subject, expected, actual);
  if (why.empty()) return {};
  if (waits_outside(subject, request, expected)) return {};
  if (expected.outcome.evidence->inputs == actual.outcome.evidence->inputs) {
    if (!expected.events.empty()) why += "\n    " + event_difference(subject, expected, actual, Compared::kEverything);
    return why;
  }
  RunRequest fed = request;
  fed.parameters.feed = 1;
  fed.inputs = expected.outcome.evidence->inputs;
  Execution second = subject.run(fed);
  std::string fed_why = outcome_difference(subject, expected, second);
  if (fed_why.empty()) return {};
  // Both: fed runs know that a wait of theirs ended, not when it could, so with waits inside the second one can be
  // another breach than the first.
  if (!expected.events.empty())
    fed_why += "\n    " + event_difference(subject, expected, second, Compared::kEverything);
  return why + "; fed with the inputs of the first: " + fed_why;
}

}  // namespace

void equal_seed_equal_schedule(Subject& subject, std::uint64_t schedules, const Report& broken) {
  for (std::uint64_t seed = 0; seed < schedules; seed++)
    for (HeddleStrategy strategy : {HEDDLE_STRATEGY_RANDOM, HEDDLE_STRATEGY_PCT}) {
      RunRequest request = subject.random(seed, strategy);
      request.parameters.point_set = seed % 2 ? HEDDLE_POINTS_ALL : HEDDLE_POINTS_SYNC;
      Execution first = subject.run(request);
      for (std::uint32_t backend : {HEDDLE_BACKEND_BATON, HEDDLE_BACKEND_FIBERS}) {
        request.parameters.backend = backend;
        if (std::string why = difference(subject, request, first, subject.run(request)); !why.empty())
          broken(fmt::format("seed {}, {}, {}: {}", seed, strategy == HEDDLE_STRATEGY_PCT ? "pct" : "random",
                             backend_name(backend), why));
      }
    }
}

void the_detector_only_observes(Subject& subject, std::uint64_t schedules, const Report& broken) {
  for (std::uint64_t seed = 0; seed < schedules; seed++) {
    RunRequest request = subject.random(seed);
    request.parameters.point_set = seed % 2 ? HEDDLE_POINTS_ALL : HEDDLE_POINTS_SYNC;
    request.parameters.backend = seed / 2 % 2 ? HEDDLE_BACKEND_FIBERS : HEDDLE_BACKEND_BATON;
    request.parameters.detail = kPointsDetail;  // a breach can be told by its first event
    Execution without = subject.run(request);
    request.parameters.detector = 1;
    if (std::string why = difference(subject, request, without, subject.run(request)); !why.empty())
      broken(fmt::format("seed {}, {}: {}", seed, backend_name(request.parameters.backend), why));
  }
}

void detail_only_observes(Subject& subject, std::uint64_t schedules, const Report& broken) {
  for (std::uint64_t seed = 0; seed < schedules; seed++) {
    RunRequest request = subject.random(seed);
    request.parameters.point_set = seed % 2 ? HEDDLE_POINTS_ALL : HEDDLE_POINTS_SYNC;
    request.parameters.backend = seed / 2 % 2 ? HEDDLE_BACKEND_FIBERS : HEDDLE_BACKEND_BATON;
    Execution least = subject.run(request);
    for (std::uint32_t detail :
         std::initializer_list<std::uint32_t>{kPointsDetail, kAccessesDetail, kBranchesDetail, HEDDLE_DETAIL_ALL,
                                              HEDDLE_DETAIL_BRANCHES | HEDDLE_DETAIL_CALLS, HEDDLE_DETAIL_ACCESSES}) {
      request.parameters.detail = detail;
      if (std::string why = difference(subject, request, least, subject.run(request)); !why.empty())
        broken(
            fmt::format("seed {}, {}, detail {:#x}: {}", seed, backend_name(request.parameters.backend), detail, why));
    }
  }
}

namespace {

// What a hunt would have as points after a few runs.
std::vector<std::uint32_t> racy_sites(Subject& subject) {
  std::set<std::uint32_t> sites;
  for (std::uint64_t seed = 0; seed < 3; seed++) {
    RunRequest request = subject.random(seed);
    request.parameters.detector = 1;
    request.parameters.point_set = HEDDLE_POINTS_SYNC;
    for (const HeddleRace& race : subject.run(request).outcome.races)
      for (std::uint32_t site : {race.first_site, race.second_site})
        if (site) sites.insert(site);
  }
  return {sites.begin(), sites.end()};
}

bool made_no_progress(const Execution& run) {
  const std::uint32_t kind = run.outcome.result.failure.kind;
  return kind == HEDDLE_FAIL_LIVELOCK || kind == HEDDLE_FAIL_HANG || run.outcome.end == RunEnd::kHang;
}

}  // namespace

// But for runs that a hunt does not believe: that nobody makes progress, and steps with sites in light clones.
void light_clones_take_the_same_schedule(Subject& subject, std::uint64_t schedules, const Report& broken) {
  const std::vector<std::uint32_t> points = racy_sites(subject);
  for (std::uint64_t seed = 0; seed < schedules; seed++)
    for (HeddleStrategy strategy : {HEDDLE_STRATEGY_RANDOM, HEDDLE_STRATEGY_PCT}) {
      RunRequest request = subject.random(seed, strategy);
      request.parameters.point_set = seed % 2 ? HEDDLE_POINTS_RACY : HEDDLE_POINTS_SYNC;
      if (seed % 2) request.points = points;
      request.parameters.detail = kPointsDetail;  // a breach can be told by its first event
      Execution hooked = subject.run(request);
      request.parameters.light = 1;
      Execution light = subject.run(request);
      if (made_no_progress(light) || light.outcome.result.called_by_light) continue;
      if (std::string why = difference(subject, request, hooked, light); !why.empty())
        broken(fmt::format("seed {}, {}: {}", seed, strategy == HEDDLE_STRATEGY_PCT ? "pct" : "random", why));
    }
}

}  // namespace heddle::laws
