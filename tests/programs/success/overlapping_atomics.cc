// expect: clean
// cflags: -std=c++20 -mcx16
// Atomics of different sizes on the same bytes: a release store orders whoever reads any part of its value with acquire.
#include <atomic>
#include <cstdint>
#include <thread>

struct alignas(16) Words {
  uint32_t word[4];
};
static Words parts, whole, fenced, wide;
static int by_part[2], by_whole, by_fence, by_wide;

template <class T>
static void wait_for(T* p, T wanted) {
  while (__atomic_load_n(p, __ATOMIC_ACQUIRE) != wanted) std::this_thread::yield();
}

static void wide_load_of_narrow_stores() {
  std::thread low([] {
    by_part[0] = 1;
    std::atomic_ref<uint32_t>(parts.word[0]).fetch_add(1, std::memory_order_acq_rel);
  });
  std::thread high([] {
    by_part[1] = 1;
    std::atomic_ref<uint32_t>(parts.word[1]).store(1, std::memory_order_release);
  });
  wait_for(reinterpret_cast<uint64_t*>(&parts), uint64_t{1} << 32 | 1);
  by_part[0]++, by_part[1]++;
  low.join(), high.join();
}

static void narrow_load_of_a_wide_store() {
  std::thread t([] {
    by_whole = 1;
    __atomic_store_n(reinterpret_cast<uint64_t*>(&whole), ~uint64_t{0}, __ATOMIC_RELEASE);
  });
  wait_for(reinterpret_cast<uint8_t*>(&whole) + 5, uint8_t{0xff});
  by_whole++;
  t.join();
}

static void fences() {
  std::thread t([] {
    by_fence = 1;
    std::atomic_thread_fence(std::memory_order_release);
    __atomic_store_n(&fenced.word[1], 1, __ATOMIC_RELAXED);
  });
  while (!__atomic_load_n(reinterpret_cast<uint64_t*>(&fenced), __ATOMIC_RELAXED)) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
  by_fence++;
  t.join();
}

static void sixteen_bytes() {
  std::thread t([] {
    by_wide = 1;
    auto* p = reinterpret_cast<unsigned __int128*>(&wide);
    unsigned __int128 zero = 0, next = static_cast<unsigned __int128>(1) << 96;
    __sync_bool_compare_and_swap(p, zero, next);
  });
  wait_for(&wide.word[3], 1u);
  by_wide++;
  t.join();
}

int main() {
  wide_load_of_narrow_stores();
  narrow_load_of_a_wide_store();
  fences();
  sixteen_bytes();
}
