// The detector against the oracle on random executions: every report is a race, every byte that has a race is found.
#include <gtest/gtest.h>

#include <random>

#include "runtime/detector/detector_world_test.h"
#include "runtime/detector/shadow.h"

namespace heddle::rt::detector {
namespace {

constexpr uintptr_t kBase = 0x7ffff7001000;  // any address will do: only the shadow is touched

struct Mix {
  const char* name;
  int plain, ranges, atomics, fences, locks, threads, heap, restarts;  // weights
  int bytes;                                                           // of memory that is fought for
  int steps, max_threads;
};

class Script {
 public:
  Script(uint32_t seed, const Mix& mix) : random_(seed), mix_(mix) { done_.push_back(false); }

  std::string run() {
    for (int i = 0; i < 2; i++) create();
    for (int i = 0; i < mix_.steps; i++) step();
    return world_.difference();
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % n); }
  uintptr_t address() { return kBase + pick(mix_.bytes); }
  int order(std::initializer_list<int> orders) { return orders.begin()[pick(static_cast<int>(orders.size()))]; }

  int any_thread() {
    for (;;) {
      int t = pick(world_.thread_count());
      if (!done_[t]) return t;
    }
  }

  void create() {
    if (world_.thread_count() >= mix_.max_threads) return;
    world_.create(any_thread());
    done_.push_back(false);
  }

  void join() {
    int joined = any_thread(), joiner = any_thread();
    if (joined == joiner || joined == 0) return;
    done_[joined] = true;
    world_.join(joiner, joined);
  }

  void plain() {
    uint32_t size = 1u << pick(5);
    uintptr_t a = address();
    if (pick(8)) a &= ~uintptr_t{size - 1};
    if (pick(2)) {
      world_.write(any_thread(), a, size);
    } else {
      world_.read(any_thread(), a, size);
    }
  }

  // In small memory a few words; in larger memory also whole pages (uniform ones) and what begins or ends beside them.
  void range(bool is_write) {
    if (mix_.bytes <= static_cast<int>(kPageBytes))
      return (void)world_.range(any_thread(), address(), 1 + pick(20), is_write);
    uintptr_t low = kBase + kPageBytes * pick(mix_.bytes / kPageBytes), high = low + kPageBytes * (1 + pick(2));
    if (pick(3) == 0) low += pick(8);
    if (pick(3) == 0) high -= pick(8);
    world_.range(any_thread(), low, high - low, is_write);
  }

  void pages_of_heap() {
    uintptr_t low = kBase + kPageBytes * pick(mix_.bytes / kPageBytes) + 4 * pick(2) * pick(20);
    // Larger blocks are marked as freed only where they were accessed.
    pick(2) ? world_.allocated(any_thread(), low, kPageBytes + 4 * pick(300))
            : world_.freed(any_thread(), low, kPageBytes);
  }

  void atomic() {
    uint32_t size = 1u << pick(5);
    uintptr_t a = pick(3) ? kBase + 8 * pick((mix_.bytes + 7) / 8) : address() & ~uintptr_t{size - 1};
    int t = any_thread();
    switch (pick(4)) {
      case 0:
        world_.atomic(t, a, size, HEDDLE_EV_ATOMIC_LOAD,
                      order({__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE, __ATOMIC_SEQ_CST}));
        break;
      case 1:
        world_.atomic(t, a, size, HEDDLE_EV_ATOMIC_STORE,
                      order({__ATOMIC_RELAXED, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST}));
        break;
      default:
        world_.atomic(
            t, a, size, pick(2) ? HEDDLE_EV_ATOMIC_RMW : HEDDLE_EV_ATOMIC_CAS,
            order({__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST}));
    }
  }

  void failed_cas() {
    world_.atomic(any_thread(), kBase, 4, HEDDLE_EV_ATOMIC_CAS, order({__ATOMIC_RELAXED, __ATOMIC_ACQUIRE}), false);
  }

  void heap() {
    uintptr_t a = pick(2) ? address() : address() & ~uintptr_t{3};
    size_t n = 1 + pick(24);
    if (pick(2)) {
      world_.allocated(any_thread(), a, n);
    } else {
      world_.freed(any_thread(), a, n);
    }
  }

  void step() {
    int total =
        mix_.plain + mix_.ranges + mix_.atomics + mix_.fences + mix_.locks + mix_.threads + mix_.heap + mix_.restarts;
    int r = pick(total);
    if ((r -= mix_.plain) < 0) return plain();
    if ((r -= mix_.ranges) < 0) return range(pick(2));
    if ((r -= mix_.atomics) < 0) return pick(6) ? atomic() : failed_cas();
    if ((r -= mix_.fences) < 0) {
      return (void)world_.fence(any_thread(),
                                order({__ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST}));
    }
    if ((r -= mix_.locks) < 0) {
      int t = any_thread(), lock = pick(3);
      return (void)(pick(2) ? world_.acquire(t, lock) : world_.release(t, lock));
    }
    if ((r -= mix_.threads) < 0) return pick(2) ? create() : join();
    if ((r -= mix_.heap) < 0) return mix_.bytes > static_cast<int>(kPageBytes) ? pages_of_heap() : heap();
    world_.forget();
  }

  std::mt19937 random_;
  const Mix& mix_;
  World world_;
  std::vector<bool> done_;
};

class Oracle : public testing::TestWithParam<Mix> {};

TEST_P(Oracle, RaceOnAByteIfAndOnlyIfTheOracleSaysSo) {
  const uint32_t seeds = GetParam().bytes > static_cast<int>(kPageBytes) ? 60 : 1500;  // the oracle looks at each byte
  for (uint32_t seed = 1; seed <= seeds; seed++) {
    std::string difference = Script(seed, GetParam()).run();
    ASSERT_EQ(difference, "") << "seed " << seed;
  }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(
    Mixes, Oracle,
    testing::Values(  //        plain rng at  fe lk th hp re  bytes steps threads
        Mix{"plain_and_locks",     40, 0,  0,  0, 60, 4, 0, 0, 8,   40, 4},
        Mix{"many_locks",          30, 0,  0,  0, 70, 6, 0, 0, 4,   60, 5},
        Mix{"well_locked",         10, 0,  0,  0, 90, 1, 0, 0, 64,  80, 4},
        Mix{"well_fenced",         8,  0,  60, 30, 0, 1, 0, 0, 16,  90, 4},
        Mix{"sub_words",           70, 10, 0,  0, 60, 4, 4, 0, 24,  60, 4},
        Mix{"atomics",             20, 0,  60, 0, 0,  4, 0, 0, 8,   50, 4},
        Mix{"overlapping_atomics", 8,  0,  90, 0, 0,  1, 2, 0, 16,  90, 4},
        Mix{"atomics_and_fences",  20, 0,  50, 30, 0, 4, 0, 0, 16,  60, 4},
        Mix{"heap",                40, 10, 10, 0, 40, 4, 20, 0, 32, 60, 4},
        Mix{"pages",               20, 20, 0,  0, 60, 2, 0,  0, 3072, 40, 4},
        Mix{"pages_and_all",       20, 20, 10, 4, 40, 6, 6,  1, 3072, 40, 5},
        Mix{"many_threads",        40, 4,  10, 4, 40, 30, 4, 0, 32, 120, 24},
        Mix{"restarts",            40, 4,  10, 4, 40, 4, 4, 6, 16,  80, 4},
        Mix{"everything",          40, 4,  30, 8, 40, 6, 6, 1, 40,  120, 6}),
    [](const auto& info) { return std::string(info.param.name); });
// clang-format on

}  // namespace
}  // namespace heddle::rt::detector
