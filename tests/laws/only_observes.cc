// Laws about runs of one seed that differ only in what must not matter: backend, detector, detail.
#include <fmt/format.h>

#include "tests/laws/difference.h"
#include "tests/laws/law.h"

namespace heddle::laws {
namespace {

// Programs that talk to the outside may be told other things in their next run: that breaks no law, a replay is fed.
bool depends_on_outside(const Execution& run) { return !run.outcome.evidence->inputs.empty(); }

std::string difference(Subject& subject, const Execution& expected, const Execution& actual) {
  std::string why = outcome_difference(subject, expected, actual);
  if (why.empty() || !depends_on_outside(expected)) return why;
  return expected.outcome.evidence->inputs == actual.outcome.evidence->inputs ? why : std::string();
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
        if (std::string why = difference(subject, first, subject.run(request)); !why.empty())
          broken(fmt::format("seed {}, {}, {}: {}", seed, strategy == HEDDLE_STRATEGY_PCT ? "pct" : "random", backend_name(backend), why));
      }
    }
}

void the_detector_only_observes(Subject& subject, std::uint64_t schedules, const Report& broken) {
  for (std::uint64_t seed = 0; seed < schedules; seed++) {
    RunRequest request = subject.random(seed);
    request.parameters.point_set = seed % 2 ? HEDDLE_POINTS_ALL : HEDDLE_POINTS_SYNC;
    request.parameters.backend = seed / 2 % 2 ? HEDDLE_BACKEND_FIBERS : HEDDLE_BACKEND_BATON;
    Execution without = subject.run(request);
    request.parameters.detector = 1;
    if (std::string why = difference(subject, without, subject.run(request)); !why.empty())
      broken(fmt::format("seed {}, {}: {}", seed, backend_name(request.parameters.backend), why));
  }
}

void detail_only_observes(Subject& subject, std::uint64_t schedules, const Report& broken) {
  for (std::uint64_t seed = 0; seed < schedules; seed++) {
    RunRequest request = subject.random(seed);
    request.parameters.point_set = seed % 2 ? HEDDLE_POINTS_ALL : HEDDLE_POINTS_SYNC;
    request.parameters.backend = seed / 2 % 2 ? HEDDLE_BACKEND_FIBERS : HEDDLE_BACKEND_BATON;
    Execution least = subject.run(request);
    for (std::uint32_t detail = HEDDLE_DETAIL_POINTS; detail <= HEDDLE_DETAIL_BRANCHES; detail++) {
      request.parameters.detail = detail;
      if (std::string why = difference(subject, least, subject.run(request)); !why.empty())
        broken(fmt::format("seed {}, {}, detail {}: {}", seed, backend_name(request.parameters.backend), detail, why));
    }
  }
}

}  // namespace heddle::laws
