// What atomics and fences order, and what races with them.
#include <gmock/gmock.h>

#include "runtime/detector/atomics.h"
#include "runtime/detector/detector_fixture_test.h"

namespace heddle::rt::detector {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// --- Atomics.

TEST_F(Detector, ReleaseAcquirePublishes) {
  two();
  w.write(a(), kX, 4);
  w.store(a(), kFlag, __ATOMIC_RELEASE);
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, RelaxedDoesNotPublish) {
  two();
  int first = w.write(a(), kX, 4);
  w.store(a(), kFlag, __ATOMIC_RELAXED);
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, RelaxedLoadDoesNotAcquire) {
  two();
  int first = w.write(a(), kX, 4);
  w.store(a(), kFlag, __ATOMIC_SEQ_CST);
  w.load(b(), kFlag, __ATOMIC_RELAXED);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, RelaxedRmwContinuesTheReleaseSequence) {
  two();
  w.write(a(), kX, 4);
  w.store(a(), kFlag, __ATOMIC_RELEASE);
  w.rmw(0, kFlag, __ATOMIC_RELAXED);
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, RelaxedStoreEndsTheReleaseSequence) {
  two();
  int first = w.write(a(), kX, 4);
  w.store(a(), kFlag, __ATOMIC_RELEASE);
  w.store(a(), kFlag, __ATOMIC_RELAXED);  // C++20: also when the same thread stores
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, ReleaseStoreReplacesTheSequenceReleaseRmwJoinsIt) {
  two();
  int first = w.write(a(), kX, 4);
  w.store(a(), kFlag, __ATOMIC_RELEASE);
  w.write(0, kY, 4);
  w.rmw(0, kFlag, __ATOMIC_RELEASE);
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  w.read(b(), kX, 4), w.read(b(), kY, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
  int c = w.create(0);
  w.store(0, kFlag, __ATOMIC_RELEASE);
  w.load(c, kFlag, __ATOMIC_ACQUIRE);
  int second = w.read(c, kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, FailedCasOnlyLoads) {
  two();
  int first = w.write(a(), kX, 4);
  w.atomic(a(), kFlag, 4, HEDDLE_EV_ATOMIC_CAS, __ATOMIC_ACQUIRE, false);
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, ReferenceCountOrdersTheLastOwner) {
  two();
  w.write(a(), kX, 4);
  w.rmw(a(), kFlag, __ATOMIC_RELEASE);
  w.write(b(), kY, 4);
  w.rmw(b(), kFlag, __ATOMIC_RELEASE);
  w.fence(b(), __ATOMIC_ACQUIRE);  // after its own rmw, which read a's
  w.freed(b(), kX, 4), w.freed(b(), kY, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

// --- Atomics that overlap in part. C++ has none, but libstdc++ 12 reads both counters of a shared_ptr at once.

constexpr int kCas = HEDDLE_EV_ATOMIC_CAS, kLoad = HEDDLE_EV_ATOMIC_LOAD, kStore = HEDDLE_EV_ATOMIC_STORE;

TEST_F(Detector, WideLoadSynchronisesWithTheStoresToAllItsParts) {
  two();
  w.write(a(), kX, 4);
  w.rmw(a(), kFlag + 4, __ATOMIC_ACQ_REL);  // the weak count
  w.write(0, kY, 4);
  w.rmw(0, kFlag, __ATOMIC_ACQ_REL);  // the use count
  w.atomic(b(), kFlag, 8, kLoad, __ATOMIC_ACQUIRE);
  w.freed(b(), kX, 4), w.freed(b(), kY, 4), w.freed(b(), kFlag, 8);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, NarrowLoadSynchronisesWithAWideStore) {
  two();
  w.write(a(), kX, 4);
  w.atomic(a(), kFlag, 16, kStore, __ATOMIC_RELEASE);
  int c = w.create(0), d = w.create(0);
  w.atomic(b(), kFlag + 12, 4, kLoad, __ATOMIC_ACQUIRE);
  w.atomic(c, kFlag + 3, 1, kLoad, __ATOMIC_ACQUIRE);
  w.atomic(d, kFlag + 6, 2, kLoad, __ATOMIC_ACQUIRE);
  for (int t : {b(), c, d}) w.read(t, kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, NeighbourOfANarrowStoreIsNotPublished) {
  two();
  int first = w.write(a(), kX, 4);
  w.atomic(a(), kFlag, 4, kStore, __ATOMIC_RELEASE);
  w.atomic(b(), kFlag + 4, 4, kLoad, __ATOMIC_ACQUIRE);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, NarrowStoreLeavesTheRestOfAWideValuePublished) {
  two();
  w.write(a(), kX, 4);
  w.atomic(a(), kFlag, 8, kStore, __ATOMIC_RELEASE);
  int first = w.write(0, kY, 4);
  w.atomic(0, kFlag, 4, kStore, __ATOMIC_RELAXED);
  int c = w.create(a());
  w.atomic(b(), kFlag, 8, kLoad, __ATOMIC_ACQUIRE);  // half of it is a's
  w.read(b(), kX, 4);
  int second = w.read(b(), kY, 4);
  w.atomic(c, kFlag, 4, kLoad, __ATOMIC_ACQUIRE);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, WideCasContinuesTheSequencesOfItsParts) {
  two();
  w.write(a(), kX, 4);
  w.atomic(a(), kFlag, 8, kStore, __ATOMIC_RELEASE);
  w.atomic(0, kFlag, 16, kCas, __ATOMIC_RELAXED);
  w.atomic(b(), kFlag + 8, 8, kLoad, __ATOMIC_ACQUIRE);  // a value of the CAS
  w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, FencesPublishThroughPartsOfAnAtomic) {
  two();
  w.write(a(), kX, 4);
  w.fence(a(), __ATOMIC_RELEASE);
  w.atomic(a(), kFlag + 2, 2, kStore, __ATOMIC_RELAXED);
  w.atomic(b(), kFlag, 8, kLoad, __ATOMIC_RELAXED);
  w.fence(b(), __ATOMIC_ACQUIRE);
  w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, WideAtomicsNeedOneClockAndGiveItBack) {
  two();
  auto round = [this] {
    for (int i = 0; i < 64; i++) {
      w.atomic(a(), kFlag + 16 * i, 16, kStore, __ATOMIC_RELEASE);
      w.atomic(b(), kFlag + 16 * i + 4, 1, HEDDLE_EV_ATOMIC_RMW, __ATOMIC_ACQ_REL);
      w.atomic(b(), kFlag + 16 * i, 8, HEDDLE_EV_ATOMIC_RMW, __ATOMIC_ACQ_REL);
    }
    w.allocated(a(), kFlag, 1024);
  };
  for (int i = 0; i < 3; i++) round();
  size_t before = arena_bytes;
  for (int i = 0; i < 20; i++) round();
  EXPECT_EQ(arena_bytes, before);
}

// --- Fences.

TEST_F(Detector, FencesOnBothSidesPublishThroughRelaxedAtomics) {
  two();
  w.write(a(), kX, 4);
  w.fence(a(), __ATOMIC_RELEASE);
  w.store(a(), kFlag, __ATOMIC_RELAXED);
  w.load(b(), kFlag, __ATOMIC_RELAXED);
  w.fence(b(), __ATOMIC_ACQUIRE);
  w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, FencePublishesOnlyWhatIsBeforeIt) {
  two();
  w.write(a(), kX, 4);
  w.fence(a(), __ATOMIC_SEQ_CST);
  int first = w.write(a(), kY, 4);
  w.store(a(), kFlag, __ATOMIC_RELAXED);
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  w.read(b(), kX, 4);
  int second = w.read(b(), kY, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, SeqCstFencesAloneOrderNothing) {
  two();
  int first = w.write(a(), kX, 4);
  w.fence(a(), __ATOMIC_SEQ_CST);
  w.fence(b(), __ATOMIC_SEQ_CST);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

// --- Atomic against plain.

TEST_F(Detector, AtomicsDoNotRaceWithEachOther) {
  two();
  for (int t : {a(), b(), a(), 0}) w.store(t, kFlag, __ATOMIC_RELAXED), w.load(t, kFlag, __ATOMIC_RELAXED);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, PlainReadRacesWithAtomicWriteNotWithAtomicRead) {
  two();
  w.load(a(), kFlag, __ATOMIC_RELAXED), w.read(b(), kFlag, 4);
  int first = w.store(a(), kX, __ATOMIC_SEQ_CST), second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, UnpublishedInitialisationRacesWithLaterAtomics) {
  two();
  int first = w.write(a(), kFlag, 4);     // constructor
  w.store(a(), kFlag, __ATOMIC_RELAXED);  // does not hide it
  int second = w.load(b(), kFlag, __ATOMIC_RELAXED);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, PlainWriteRacesWithEveryUnorderedAtomic) {
  two();
  int f1 = w.store(a(), kFlag, __ATOMIC_RELAXED), f2 = w.load(b(), kFlag, __ATOMIC_RELAXED);
  int second = w.write(0, kFlag, 4);
  EXPECT_THAT(w.reported(), UnorderedElementsAre(Pair(f1, second), Pair(f2, second)));
}

TEST_F(Detector, PlainWriteEndsTheReleaseSequence) {
  two();
  int first = w.write(a(), kX, 4);
  w.store(a(), kFlag, __ATOMIC_RELEASE);
  w.write(a(), kFlag, 4);
  w.load(b(), kFlag, __ATOMIC_ACQUIRE);
  int second = w.read(b(), kX, 4);
  EXPECT_THAT(w.reported(), testing::Contains(Pair(first, second)));
}

TEST_F(Detector, AtomicBoolsOfOneWordAreIndependent) {
  two();
  w.write(a(), kX, 4);
  w.atomic(a(), kFlag, 1, HEDDLE_EV_ATOMIC_STORE, __ATOMIC_RELEASE);
  w.atomic(b(), kFlag + 1, 1, HEDDLE_EV_ATOMIC_STORE, __ATOMIC_RELAXED);
  w.atomic(b(), kFlag, 1, HEDDLE_EV_ATOMIC_LOAD, __ATOMIC_ACQUIRE);
  w.read(b(), kX, 4), w.write(b(), kFlag + 2, 1);
  EXPECT_THAT(w.reported(), IsEmpty());
}

}  // namespace
}  // namespace heddle::rt::detector
