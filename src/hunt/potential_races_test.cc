#include "src/hunt/potential_races.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::uint32_t kMain = 100, kNobody = 0;

HeddleDecision event(std::uint16_t thread, std::uint8_t kind, std::uint32_t site, std::uint64_t address = 0,
                     std::uint32_t object = 0) {
  HeddleDecision out{};
  out.thread = thread, out.kind = kind, out.site = site, out.address = address, out.object = object;
  out.name = kMain + thread;
  if (kind == HEDDLE_EV_THREAD_START) out.creator = address;
  return out;
}

// main writes at site 1, makes two threads, joins them and reads at site 9; `between`: what these do.
std::vector<std::uint32_t> sites(std::vector<HeddleDecision> between) {
  std::vector<HeddleDecision> run{event(0, HEDDLE_EV_THREAD_START, 0, kNobody), event(0, HEDDLE_EV_WRITE, 1, 64)};
  for (std::uint16_t child : {1, 2}) {
    run.push_back(event(0, HEDDLE_EV_THREAD_CREATE, 2));
    run.push_back(event(child, HEDDLE_EV_THREAD_START, 0, kMain));
  }
  run.insert(run.end(), between.begin(), between.end());
  for (std::uint16_t child : {1, 2}) run.push_back(event(0, HEDDLE_EV_THREAD_JOIN, 3, child));
  run.push_back(event(0, HEDDLE_EV_READ, 9, 64));
  return potential_races(run);
}

TEST(PotentialRaces, AWriteAndAReadOfTwoThreadsWithoutACommonLock) {
  EXPECT_EQ(sites({event(1, HEDDLE_EV_WRITE, 5, 64), event(2, HEDDLE_EV_READ, 6, 64)}),
            (std::vector<std::uint32_t>{5, 6}));
}

TEST(PotentialRaces, AlsoWhereALockOrderedThemByChance) {
  EXPECT_EQ(sites({event(1, HEDDLE_EV_WRITE, 5, 64), event(1, HEDDLE_EV_MUTEX_LOCK, 7, 0, 1),
                   event(1, HEDDLE_EV_MUTEX_UNLOCK, 7, 0, 1), event(2, HEDDLE_EV_MUTEX_LOCK, 8, 0, 1),
                   event(2, HEDDLE_EV_MUTEX_UNLOCK, 8, 0, 1), event(2, HEDDLE_EV_READ, 6, 64)}),
            (std::vector<std::uint32_t>{5, 6}));
}

TEST(PotentialRaces, NotUnderACommonLock) {
  std::vector<HeddleDecision> run;
  for (std::uint16_t thread : {1, 2}) {
    run.push_back(event(thread, HEDDLE_EV_MUTEX_LOCK, 7, 0, 1));
    run.push_back(event(thread, HEDDLE_EV_WRITE, 5, 64));
    run.push_back(event(thread, HEDDLE_EV_MUTEX_UNLOCK, 7, 0, 1));
  }
  EXPECT_EQ(sites(run), std::vector<std::uint32_t>{});
}

TEST(PotentialRaces, NotWhatOnlyReadsNorOtherAddressesNorAtomics) {
  EXPECT_EQ(sites({event(1, HEDDLE_EV_READ, 5, 64), event(2, HEDDLE_EV_READ, 6, 64)}), std::vector<std::uint32_t>{});
  EXPECT_EQ(sites({event(1, HEDDLE_EV_WRITE, 5, 72), event(2, HEDDLE_EV_WRITE, 6, 80)}), std::vector<std::uint32_t>{});
  EXPECT_EQ(sites({event(1, HEDDLE_EV_ATOMIC_STORE, 5, 72), event(2, HEDDLE_EV_ATOMIC_STORE, 6, 72)}),
            std::vector<std::uint32_t>{});
}

}  // namespace
}  // namespace heddle
