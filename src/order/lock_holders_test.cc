#include "src/order/lock_holders.h"

#include <gtest/gtest.h>

#include "abi/region.h"

namespace heddle {
namespace {

constexpr std::uint32_t kLock = HEDDLE_EV_MUTEX_LOCK, kTry = HEDDLE_EV_MUTEX_TRYLOCK, kUnlock = HEDDLE_EV_MUTEX_UNLOCK,
                        kWait = HEDDLE_EV_COND_WAIT, kWake = HEDDLE_EV_COND_WAKE, kExit = HEDDLE_EV_THREAD_EXIT;

struct Step {
  std::uint16_t thread;
  std::uint32_t kind, object = 7;
  std::uint8_t flags = 0;
};

LockHolders after(std::initializer_list<Step> steps) {
  LockHolders out;
  for (const Step& step : steps) {
    HeddleEvent event{};
    event.thread = step.thread;
    event.kind = static_cast<std::uint8_t>(step.kind);
    event.object = step.object;
    event.flags = step.flags;
    out.execute(event);
  }
  return out;
}

TEST(LockHolders, WhoLockedHoldsUntilItUnlocks) {
  EXPECT_FALSE(after({}).holds(1, 7));
  EXPECT_TRUE(after({{1, kLock}}).holds(1, 7));
  EXPECT_FALSE(after({{1, kLock}}).holds(2, 7));
  EXPECT_FALSE(after({{1, kLock}, {1, kUnlock}}).holds(1, 7));
  EXPECT_TRUE(after({{1, kLock}, {1, kUnlock}, {2, kLock}}).holds(2, 7));
}

TEST(LockHolders, ATrySucceedsOnlyWhereNobodyHoldsIt) {
  EXPECT_TRUE(after({{1, kTry}}).holds(1, 7));
  EXPECT_FALSE(after({{2, kLock}, {1, kTry}}).holds(1, 7));
  EXPECT_TRUE(after({{2, kLock}, {1, kTry}, {2, kUnlock}, {1, kTry}}).holds(1, 7));
  EXPECT_FALSE(after({{2, kLock}, {1, kLock, 7, HEDDLE_OF_TIMED}}).holds(1, 7));  // its time was over
}

TEST(LockHolders, AnUnlockByAnotherThreadLeavesNobodySure) {
  EXPECT_FALSE(after({{1, kLock}, {2, kUnlock}}).holds(1, 7));
  EXPECT_FALSE(after({{1, kLock}, {2, kUnlock}, {2, kTry}}).holds(2, 7));
  EXPECT_TRUE(after({{2, kUnlock}, {1, kLock}}).holds(1, 7));
}

TEST(LockHolders, LockedTwiceItIsHeldOnceOrTwice) {
  EXPECT_TRUE(after({{1, kLock}, {1, kLock}}).holds(1, 7));
  EXPECT_FALSE(after({{1, kLock}, {1, kLock}, {1, kUnlock}}).holds(1, 7));             // error-checking: EDEADLK
  EXPECT_FALSE(after({{1, kLock}, {1, kLock}, {1, kUnlock}, {2, kTry}}).holds(2, 7));  // recursive
}

TEST(LockHolders, BehindAWaitAllIsHeldAgain) {
  EXPECT_FALSE(after({{1, kLock}, {1, kWait, 9}}).holds(1, 7));
  EXPECT_TRUE(after({{1, kLock}, {1, kWait, 9}, {2, kLock}, {2, kUnlock}, {1, kWake, 9}}).holds(1, 7));
  EXPECT_FALSE(after({{1, kLock}, {1, kWait, 9}, {2, kTry}}).holds(2, 7));
}

TEST(LockHolders, ToTakeWhatAThreadLeftBehindMayFail) {
  EXPECT_FALSE(after({{1, kLock}, {1, kExit}, {2, kLock}}).holds(2, 7));
  EXPECT_FALSE(after({{1, kLock}, {1, kExit, ~0u}, {2, kLock}}).holds(2, 7));
  EXPECT_TRUE(after({{1, kLock}, {1, kExit, 8}, {2, kLock}}).holds(2, 7));
}

TEST(LockHolders, OfAReadWriteLockItIsKnownUntilTheFirstUnlock) {
  constexpr std::uint32_t kRead = HEDDLE_EV_RW_RDLOCK, kWrite = HEDDLE_EV_RW_WRLOCK, kGive = HEDDLE_EV_RW_UNLOCK;
  using Locks = std::vector<std::uint32_t>;
  EXPECT_EQ(after({{1, kRead, 9}, {1, kLock, 7}, {2, kRead, 9}}).held(1), (Locks{7, 9}));
  EXPECT_EQ(after({{1, kWrite, 9}, {1, kGive, 9}}).held(1), Locks{});
  EXPECT_EQ(after({{1, kRead, 9}, {1, kRead, 9}, {1, kGive, 9}}).held(1), Locks{});
  EXPECT_EQ(after({{1, HEDDLE_EV_RW_TRYLOCK, 9}, {1, kWrite, 8, HEDDLE_OF_TIMED}}).held(1), Locks{});
  EXPECT_EQ(after({{1, kLock, 7}, {1, kExit, ~0u}}).held(1), Locks{});
}

}  // namespace
}  // namespace heddle
