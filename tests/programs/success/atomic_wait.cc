// expect: clean
// cflags: -latomic
// atomic wait and notify in all sizes, atomic_flag, atomic_ref, floating point, consume.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

struct Wide {
  long a, b, c;
  bool operator==(const Wide&) const = default;
};
int data_behind;
int main() {
  std::atomic<int> turn(0);
  std::atomic<char> small(0);
  std::atomic<long> large(0);
  std::atomic_flag flag;
  int plain = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([&, i] {
      for (int now = turn.load(std::memory_order_acquire); now != i; now = turn.load(std::memory_order_acquire)) turn.wait(now);
      plain += i;
      turn.store(i + 1, std::memory_order_release);
      turn.notify_all();
    });
  threads.emplace_back([&] {
    small.wait(0);
    assert(small == 'x');
    large = 1L << 40;
    large.notify_one();
  });
  threads.emplace_back([&] {
    flag.wait(false);
    small = 'x';
    small.notify_one();
  });
  flag.test_and_set(std::memory_order_release);
  flag.notify_one();
  large.wait(0);
  assert(large.load() == 1L << 40);
  threads.clear();
  assert(plain == 3);

  std::atomic<double> total(0);
  alignas(std::atomic_ref<int>::required_alignment) int counted = 0;
  {
    std::vector<std::jthread> adders;
    for (int i = 0; i < 3; i++)
      adders.emplace_back([&] {
        total.fetch_add(0.5);
        std::atomic_ref(counted).fetch_add(1, std::memory_order_relaxed);
      });
  }
  assert(total == 1.5 && counted == 3);

  std::atomic<Wide> wide(Wide{1, 2, 3});
  std::jthread swaps([&] {
    Wide old = wide.load();
    while (!wide.compare_exchange_weak(old, Wide{old.a + 1, old.b + 1, old.c + 1})) {
    }
  });
  Wide seen = wide.load();
  assert(seen.b == seen.a + 1 && seen.c == seen.a + 2);
  swaps.join();

  std::atomic<int*> pointer(nullptr);
  std::jthread publishes([&] {
    data_behind = 9;
    pointer.store(&data_behind, std::memory_order_release);
  });
  int* p;
  while (!(p = pointer.load(std::memory_order_consume))) {
  }
  assert(*p == 9);
}
