// Large ranges, parts of words, and a thread that is alone: what costs less must say the same.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "runtime/detector/detector_fixture_test.h"
#include "runtime/detector/pages.h"

namespace heddle::rt::detector {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr uintptr_t kPage = 0x7ffff7100000;

bool uniform(uintptr_t a) { return is_uniform(*find_block(a), a); }

TEST_F(Detector, RangeOverWholePagesMakesThemUniform) {
  two();
  w.range(a(), kPage, 3 * kPageBytes, true);
  w.range(a(), kPage + kPageBytes, kPageBytes, false);
  for (int page = 0; page < 3; page++) EXPECT_TRUE(uniform(kPage + page * kPageBytes));
  w.write(a(), kPage + kPageBytes + 8, 4);
  EXPECT_FALSE(uniform(kPage + kPageBytes));
  w.range(a(), kPage, 3 * kPageBytes, true);
  w.release(a(), kLock), w.acquire(b(), kLock);
  w.range(b(), kPage, 3 * kPageBytes, true);
  EXPECT_TRUE(uniform(kPage + kPageBytes));
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, EachByteOfAUniformPageRaces) {
  two();
  int first = w.range(a(), kPage, 2 * kPageBytes, true);
  int second = w.write(b(), kPage + kPageBytes + 5, 1);
  int c = w.create(0);
  int third = w.range(c, kPage, kPageBytes, false);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second), Pair(first, third)));
}

TEST_F(Detector, RangeFindsTheOneWordOfAPageThatRaces) {
  two();
  w.range(b(), kPage, kPageBytes, true);
  w.release(b(), kLock), w.acquire(a(), kLock);
  w.range(a(), kPage, kPageBytes, false);
  int first = w.write(a(), kPage + 512, 2);
  w.release(a(), kLock);
  int later = w.write(a(), kPage + 516, 1);
  w.acquire(b(), kLock);
  int second = w.range(b(), kPage, kPageBytes, true);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(later, second)));
  EXPECT_NE(first, later);
  EXPECT_TRUE(uniform(kPage));
}

TEST_F(Detector, ReadersOfAUniformPageAreAllKnown) {
  two();
  int r1 = w.range(a(), kPage, kPageBytes, false), r2 = w.range(b(), kPage, kPageBytes, false);
  EXPECT_TRUE(uniform(kPage));
  int second = w.write(0, kPage + 40, 4);
  EXPECT_THAT(w.reported(), UnorderedElementsAre(Pair(r1, second), Pair(r2, second)));
}

TEST_F(Detector, AtomicInAUniformPageIsExact) {
  two();
  w.range(a(), kPage, kPageBytes, true);
  w.atomic(a(), kPage + 16, 8, HEDDLE_EV_ATOMIC_STORE, __ATOMIC_RELEASE);
  w.atomic(b(), kPage + 16, 8, HEDDLE_EV_ATOMIC_LOAD, __ATOMIC_ACQUIRE);
  w.range(b(), kPage, kPageBytes, true);
  EXPECT_THAT(w.reported(), IsEmpty());
}

TEST_F(Detector, AllocationAndFreeOfPartsOfAUniformPage) {
  two();
  int first = w.range(a(), kPage, 2 * kPageBytes, true);
  w.allocated(b(), kPage, kPageBytes + 8);
  w.write(b(), kPage, 8), w.write(b(), kPage + kPageBytes + 4, 4);
  int second = w.freed(b(), kPage + kPageBytes + 8, 64);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, UniformPagesNeedNoCells) {
  two();
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (int round = 0; round < 4; round++) {  // through the detector alone: the oracle remembers each byte
    range(w.thread_at(a()), reinterpret_cast<void*>(uintptr_t{0x7f0000000000}), size_t{1} << 26, round % 2, nullptr, 0);
    w.release(a(), kLock);
  }
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_minflt - before.ru_minflt, 1000);  // 16 blocks of 64 KiB; 65,536 pages of cells otherwise
}

TEST_F(Detector, PartOfAWordWrittenAsAWholeIsNotExpanded) {
  two();
  int first = w.write(a(), kX, 4);
  w.read(a(), kX + 1, 1), w.write(a(), kX + 2, 2);
  EXPECT_NE(find_block(kX)->cells[(kX & kBlockMask) / 4].write, kExpanded);
  int second = w.read(b(), kX + 3, 1);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, WholeWriteMakesAnExpandedWordOneAgain) {
  two();
  w.write(a(), kX, 1), w.write(b(), kX + 1, 1);
  EXPECT_EQ(find_block(kX)->cells[(kX & kBlockMask) / 4].write, kExpanded);
  w.release(b(), kLock), w.acquire(a(), kLock);
  int first = w.write(a(), kX, 4);
  EXPECT_NE(find_block(kX)->cells[(kX & kBlockMask) / 4].write, kExpanded);
  int second = w.write(b(), kX + 1, 1);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, NothingIsRememberedOfAThreadThatIsAlone) {
  w.write(0, kX, 4);
  EXPECT_FALSE(on);
  int first_child = w.create(0);
  EXPECT_TRUE(on);
  w.read(first_child, kX, 4), w.write(first_child, kY, 4);
  w.join(0, first_child);
  EXPECT_FALSE(on);
  w.write(0, kY, 4);
  int second_child = w.create(0);
  w.write(second_child, kY, 4);
  int first = w.write(0, kX, 4), second = w.write(second_child, kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

TEST_F(Detector, ThreadThatWasNotJoinedKeepsTheDetectorOn) {
  int ended = w.create(0);
  int first = w.write(ended, kX, 4);
  int joined = w.create(0);
  w.join(0, joined);
  EXPECT_TRUE(on);
  int second = w.write(0, kX, 4);
  EXPECT_THAT(w.reported(), ElementsAre(Pair(first, second)));
}

}  // namespace
}  // namespace heddle::rt::detector
