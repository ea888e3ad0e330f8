// Scripted executions: what each rule of the detector is for. World tells each of them to the oracle as well.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <random>

#include "runtime/detector/atomics.h"
#include "runtime/detector/detector_fixture_test.h"

namespace heddle::rt::detector {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// --- Plain accesses.

TEST_F(Detector, UnorderedWritesRace) {
  two();
  int first = w.write(a(), kX, 4), second = w.write(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, UnorderedWriteAndReadRaceEitherWay) {
  two();
  int w1 = w.write(a(), kX, 4), r1 = w.read(b(), kX, 4);
  int r2 = w.read(a(), kY, 8), w2 = w.write(b(), kY, 8);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(w1, r1), Pair(r2, w2)));
}

TEST_F(Detector, ReadsDoNotRace) {
  two();
  w.read(a(), kX, 4), w.read(b(), kX, 4), w.read(a(), kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, WriteRacesWithEverySharedReader) {
  two();
  int c = w.create(0);
  int r1 = w.read(a(), kX, 4), r2 = w.read(b(), kX, 4), second = w.write(c, kX, 4);
  EXPECT_THAT(w.reported(), UnorderedElementsAre(Pair(r1, second), Pair(r2, second)));
}

TEST_F(Detector, WriteAfterSomeOfTheReadersRacesWithTheOthers) {
  two();
  w.read(a(), kX, 4);
  int r2 = w.read(b(), kX, 4);
  w.release(a(), kLock);
  w.acquire(0, kLock);
  int second = w.write(0, kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(r2, second)));
}

TEST_F(Detector, SharedReadersAreForgottenAfterAnOrderedWrite) {
  two();
  for (int round = 0; round < 3; round++) {
    w.read(a(), kX, 4), w.read(b(), kX, 4);
    for (int t : {a(), b()}) w.release(t, kLock);
    w.acquire(0, kLock);
    w.write(0, kX, 4);
    w.release(0, kLock);
    for (int t : {a(), b()}) w.acquire(t, kLock);
  }
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, ReaderInTheMiddleOfItsIntervalStaysKnown) {
  two();
  int r = w.read(a(), kX, 4);
  w.read(b(), kX, 4), w.read(a(), kX, 4), w.read(b(), kX, 4);
  w.release(b(), kLock);
  w.acquire(0, kLock);
  int second = w.write(0, kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(r, second)));
}

TEST_F(Detector, AfterARaceTheNextOneOfTheSameIntervalIsFoundToo) {
  two();
  int w1 = w.write(a(), kX, 4), r1 = w.read(b(), kX, 4), w2 = w.write(a(), kX, 4), r2 = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(w1, r1), Pair(r1, w2), Pair(w2, r2)));
}

// --- Sizes.

TEST_F(Detector, NeighbouringBytesDoNotRace) {
  two();
  w.write(a(), kX, 1), w.write(b(), kX + 1, 1), w.write(a(), kX + 2, 2), w.write(b(), kX + 4, 4);
  w.write(a(), kX, 1), w.write(b(), kX + 1, 1), w.read(b(), kX + 1, 1);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, OverlapOfDifferentSizesIsFound) {
  two();
  int a1 = w.write(a(), kX, 8), b1 = w.write(b(), kX + 5, 1);
  int a2 = w.write(a(), kY + 3, 1), b2 = w.write(b(), kY, 4);
  int a3 = w.write(a(), kX + 36, 4), b3 = w.read(b(), kX + 32, 16);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(a1, b1), Pair(a2, b2), Pair(a3, b3)));
}

TEST_F(Detector, UnalignedAccessIsExact) {
  two();
  int first = w.write(a(), kX + 3, 4);  // bytes 3..6
  w.write(b(), kX, 2), w.write(b(), kX + 2, 1), w.write(b(), kX + 7, 1);
  int second = w.write(b(), kX + 6, 1);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, BlockBoundaryIsCrossed) {
  two();
  uintptr_t boundary = 0x7ffff7400000;
  int first = w.write(a(), boundary - 4, 8), second = w.read(b(), boundary, 4);
  int first2 = w.range(a(), boundary - 4098, 8194, true), second2 = w.read(b(), boundary + 4095, 1);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second), Pair(second, first2), Pair(first2, second2)));
}

TEST_F(Detector, ExpandedWordKeepsItsSharedReaders) {
  two();
  int r1 = w.read(a(), kX, 4), r2 = w.read(b(), kX, 4), second = w.write(0, kX + 3, 1);
  EXPECT_THAT(w.reported(), UnorderedElementsAre(Pair(r1, second), Pair(r2, second)));
}

// --- Synchronisation.

TEST_F(Detector, LockOrders) {
  two();
  for (int t : {a(), b(), a(), b()}) {
    w.acquire(t, kLock);
    w.read(t, kX, 4), w.write(t, kX, 4), w.write(t, kY + 1, 1);
    w.release(t, kLock);
  }
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, AccessAfterTheReleaseIsNotCovered) {
  two();
  w.write(a(), kX, 4);
  w.release(a(), kLock);
  int first = w.write(a(), kX, 4);
  w.acquire(b(), kLock);
  int second = w.write(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, CreationAndJoinOrder) {
  w.write(0, kX, 4);
  int c = w.create(0);
  w.write(c, kX, 4);
  w.join(0, c);
  w.write(0, kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, ParentAfterCreationRacesWithItsChild) {
  int c = w.create(0);
  int first = w.write(0, kX, 4), second = w.write(c, kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, SecondClockOfAnObjectIsSeparate) {
  two();
  Object lock{};
  int first = w.write(a(), kX, 4);
  release2(w.thread_at(a()), lock);
  acquire(w.thread_at(b()), lock);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
  w.allocated(0, kX, 4);
  w.write(a(), kY, 4);
  release2(w.thread_at(a()), lock);
  acquire2(w.thread_at(b()), lock);
  detector::read(w.thread_at(b()), reinterpret_cast<void*>(kY), 4, nullptr);
  EXPECT_EQ(w.races().size(), 1u);
  forget(lock);
}

// --- Memory that is handed out again.

TEST_F(Detector, ReallocatedMemoryIsFresh) {
  two();
  w.write(a(), kX, 4), w.write(a(), kX + 5, 1), w.store(a(), kFlag, __ATOMIC_RELAXED);
  w.read(a(), kY, 4), w.read(b(), kY, 4);
  w.allocated(b(), kX, 200);
  w.write(b(), kX, 4), w.write(b(), kX + 5, 1), w.write(b(), kFlag, 4), w.write(b(), kY, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, FreeRacesWithUnorderedUse) {
  two();
  int first = w.read(a(), kX + 8, 4), second = w.freed(b(), kX, 32);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
  EXPECT_EQ(w.races()[0].first_kind, uint32_t{HEDDLE_EV_READ});
  EXPECT_EQ(w.races()[0].second_kind, uint32_t{HEDDLE_EV_FREE});
}

TEST_F(Detector, UseRacesWithUnorderedFree) {
  two();
  int first = w.freed(b(), kX, 32), second = w.write(a(), kX + 8, 8);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
  EXPECT_EQ(w.races()[0].first_kind, uint32_t{HEDDLE_EV_FREE});
}

TEST_F(Detector, StackOfANewThreadIsFresh) {
  two();
  w.write(a(), kX, 8), w.write(a(), kY + 1, 1);
  w.started(b(), kX & ~uintptr_t{0xfff}, kX + (8 << 20));
  w.write(b(), kX, 8), w.write(b(), kY + 1, 1);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, ImplausibleLengthIsLeftToTheProgram) {
  two();
  w.range(a(), kX, 16, true);
  detector::range(w.thread_at(b()), reinterpret_cast<void*>(kX), SIZE_MAX, true, nullptr, HEDDLE_SITE_PC | 1);
  detector::range(w.thread_at(b()), reinterpret_cast<void*>(kX), size_t{1} << 40, true, nullptr, HEDDLE_SITE_PC | 1);
  EXPECT_THAT(w.reported(), IsEmpty());
}

// --- Limits.

TEST_F(Detector, EndOfTheEpochsMissesButNeverInvents) {
  two();
  epoch_limit = 200;
  for (int round = 0; round < 1000; round++) {
    for (int t : {a(), b()}) {
      Thread& thread = w.thread_at(t);
      Object& lock = []() -> Object& {
        static Object o;
        return o;
      }();
      acquire(thread, lock);
      detector::write(thread, reinterpret_cast<void*>(kX), 4, nullptr);
      detector::atomic(thread, reinterpret_cast<void*>(kFlag), 4, HEDDLE_EV_ATOMIC_RMW, __ATOMIC_ACQ_REL, true,
                       nullptr);
      release(thread, lock);
    }
  }
  EXPECT_THAT(w.races(), IsEmpty());
  EXPECT_FALSE(notes.empty());
  // and it still finds
  w.allocated(0, kX, 256);
  w.write(a(), kY, 4);
  w.write(b(), kY, 4);
  EXPECT_EQ(w.reported().size(), 1u);
}

TEST_F(Detector, ThreadsThatOnlySynchroniseUseNoEpochs) {
  two();
  Epoch before = last_epoch;
  for (int i = 0; i < 1000; i++) w.release(a(), kLock), w.acquire(b(), kLock);
  EXPECT_EQ(last_epoch, before);
}

TEST_F(Detector, FourThousandThreads) {
  for (int i = 1; i < 4096; i++) {
    Thread& t = w.thread_at(w.create(0));
    detector::write(t, reinterpret_cast<void*>(kX), 4, nullptr);
    detector::read(t, reinterpret_cast<void*>(kY), 4, nullptr);
    thread_joined(w.thread_at(0), t);
  }
  EXPECT_THAT(w.races(), IsEmpty());
  w.allocated(0, kX, 256);
}

TEST(DetectorRecord, SaysWhatWhereAndWho) {
  World w(HEDDLE_DETAIL_STACKS);
  int a = w.create(0), b = w.create(0);
  region->result.steps = 77;
  w.write(a, kX, 8);
  w.atomic(b, kX + 4, 4, HEDDLE_EV_ATOMIC_CAS, __ATOMIC_SEQ_CST);
  ASSERT_EQ(w.races().size(), 1u);
  HeddleRace r = w.races()[0];
  EXPECT_EQ(r.address, kX + 4);
  EXPECT_EQ(r.size, 4u);
  EXPECT_EQ(r.first_thread, static_cast<uint32_t>(a));
  EXPECT_EQ(r.second_thread, static_cast<uint32_t>(b));
  EXPECT_EQ(r.first_kind, uint32_t{HEDDLE_EV_WRITE});
  EXPECT_EQ(r.second_kind, uint32_t{HEDDLE_EV_ATOMIC_CAS});
  EXPECT_EQ(r.step, 77u);
  EXPECT_NE(r.first_stack, 0u);
  EXPECT_NE(r.second_stack, 0u);
  EXPECT_LT(r.first_stack, r.second_stack);
}

TEST(DetectorRecord, StacksOfExpandedWordsAndSharedReadersAreKept) {
  World w(HEDDLE_DETAIL_STACKS);
  int a = w.create(0), b = w.create(0), c = w.create(0);
  w.read(a, kX, 4), w.read(b, kX, 4), w.write(a, kY, 4);
  w.write(c, kX + 1, 1), w.write(c, kY + 1, 1);
  ASSERT_EQ(w.races().size(), 3u);
  for (const HeddleRace& r : w.races()) EXPECT_NE(r.first_stack, 0u);
}

TEST(DetectorRecord, PairOfSitesIsReportedOnce) {
  World w;
  int a = w.create(0), b = w.create(0);
  static HeddleSite first[1], second[1];
  for (int i = 0; i < 5; i++) {
    detector::write(w.thread_at(a), reinterpret_cast<void*>(kX + 4 * i), 4, first);
    detector::write(w.thread_at(b), reinterpret_cast<void*>(kX + 4 * i), 4, second);
  }
  EXPECT_EQ(w.races().size(), 1u);
}

TEST(DetectorRecord, CallbackSeesEachRace) {
  World w;
  static int called;
  called = 0;
  on_race = [](const HeddleRace&) { called++; };
  int a = w.create(0), b = w.create(0);
  w.write(a, kX, 4), w.write(b, kX, 4);
  on_race = nullptr;
  EXPECT_EQ(called, 1);
}

TEST(DetectorRecord, FullAreaIsMarked) {
  World w;
  uint64_t size = region->area[HEDDLE_AREA_RACES].size;
  region->area[HEDDLE_AREA_RACES].size = 2 * sizeof(HeddleRace);
  int a = w.create(0), b = w.create(0);
  for (int i = 0; i < 4; i++) w.write(a, kX + 4 * i, 4), w.write(b, kX + 4 * i, 4);
  EXPECT_EQ(w.races().size(), 2u);
  EXPECT_TRUE(region->result.overflow >> HEDDLE_AREA_RACES & 1);
  region->area[HEDDLE_AREA_RACES].size = size;
}

TEST(DetectorLimits, FreeOfALargeBlockLooksOnlyWhereItWasTouched) {
  World w;
  int a = w.create(0), b = w.create(0);
  constexpr size_t kLarge = size_t{64} << 30;
  uintptr_t block = 0x300000000000;
  detector::write(w.thread_at(a), reinterpret_cast<void*>(block + kLarge / 2), 4, nullptr);
  detector::freed(w.thread_at(b), reinterpret_cast<void*>(block), kLarge, HEDDLE_SITE_PC | 7);
  EXPECT_EQ(w.races().size(), 1u);
  detector::allocated(w.thread_at(b), reinterpret_cast<void*>(block), kLarge);
  detector::write(w.thread_at(a), reinterpret_cast<void*>(block + kLarge / 2), 4, nullptr);
  EXPECT_EQ(w.races().size(), 1u);
}

TEST(DetectorLimits, MemoryIsGivenBack) {
  World w;
  int a = w.create(0), b = w.create(0);
  Thread* threads[] = {&w.thread_at(a), &w.thread_at(b)};
  size_t after_warm_up = 0;
  for (int round = 0; round < 5000; round++) {
    if (round == 100) after_warm_up = arena_bytes;
    for (uintptr_t p = kX; p < kX + 128; p += 4) {
      for (Thread* t : threads) detector::read(*t, reinterpret_cast<void*>(p), 4, nullptr);
      detector::read(*threads[0], reinterpret_cast<void*>(p + 128), 1, nullptr);
      detector::atomic(*threads[1], reinterpret_cast<void*>(p + 256), 4, HEDDLE_EV_ATOMIC_RMW, __ATOMIC_ACQ_REL, true,
                       nullptr);
    }
    Object o{};
    release(*threads[0], o);
    forget(o);
    allocated(*threads[0], reinterpret_cast<void*>(kX), 512);
  }
  EXPECT_EQ(arena_bytes, after_warm_up);
}

TEST(DetectorLimits, TableOfAtomicsSurvivesDeletions) {
  World w;
  std::mt19937 random(1);
  std::set<uintptr_t> model;
  for (int i = 0; i < 20000; i++) {
    uintptr_t a = kX + 4 * (random() % 300);
    if (random() % 2) {
      make_atomic(a);
      model.insert(a);
    } else {
      drop_atomic(a);
      model.erase(a);
    }
    uintptr_t b = kX + 4 * (random() % 300);
    ASSERT_EQ(find_atomic(b) != nullptr, model.count(b) == 1);
  }
}

TEST(DetectorRecord, SitesSurviveTheirFourBytes) {
  World w;
  for (uintptr_t p : {0x4005c0ul, 0x555555558024ul, 0x7ffff7a00020ul, 0x7fff80000000ul, 0x40ul}) {
    auto* site = reinterpret_cast<HeddleSite*>(p);
    EXPECT_EQ(static_site(site_ref(site)), site);
  }
  EXPECT_EQ(site_ref(nullptr), kNoSite);
  EXPECT_EQ(static_site(HEDDLE_SITE_PC | 5), nullptr);
}

TEST(DetectorLimits, WithoutMemoryItTurnsOffAndSaysSo) {
  World w;
  int a = w.create(0);
  rlimit old;
  getrlimit(RLIMIT_AS, &old);
  rlimit none{1 << 20, old.rlim_max};
  setrlimit(RLIMIT_AS, &none);
  w.write(a, 0x123450000000, 4);  // needs a new block
  setrlimit(RLIMIT_AS, &old);
  EXPECT_FALSE(on);
  EXPECT_THAT(notes, ElementsAre(testing::HasSubstr("no memory")));
  w.write(a, kX, 4);
  on = true;
}

}  // namespace
}  // namespace heddle::rt::detector
