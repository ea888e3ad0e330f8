// Every hook that gcc and clang emit for -fsanitize=thread, in an order that mutexes and atomics make legal. Prints "sum N".
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex lock;
static volatile int watched;
static volatile unsigned char small;
static long sum;

template <class T>
struct Value {
  T plain;
  struct [[gnu::packed]] {
    char before;
    T shifted;
  } packed;
};
static Value<uint8_t> v1;
static Value<uint16_t> v2;
static Value<uint32_t> v4;
static Value<uint64_t> v8;
__extension__ typedef unsigned __int128 u128;
static Value<u128> v16;
struct Block {
  char bytes[72];
};
static Block blocks[2];

template <class T>
void sizes(Value<T>& v) {
  v.plain = static_cast<T>(v.plain + 1);
  v.packed.shifted = static_cast<T>(v.packed.shifted + 2);
  sum += static_cast<long>(v.plain) + static_cast<long>(v.packed.shifted);
}

struct Base {
  virtual ~Base() = default;
  virtual int answer() const { return 1; }
};
struct Derived : Base {
  explicit Derived(int n) : n(n) {}
  int answer() const override { return n; }
  int n;
};

[[gnu::noinline]] static void thrower(int n) {
  Derived local(n);
  if (n & 1) throw std::runtime_error("odd");
  sum += local.answer();
}

static int made;
static Derived& single() {
  static Derived* it = new Derived(++made);
  return *it;
}

template <class T>
void atomics(T one) {
  static std::atomic<T> a{};
  constexpr std::memory_order orders[] = {std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release,
                                          std::memory_order_acq_rel, std::memory_order_seq_cst};
  for (auto order : orders) {
    auto load_order = order == std::memory_order_release || order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
    auto store_order = order == std::memory_order_acquire || order == std::memory_order_acq_rel ? std::memory_order_release : order;
    (void)a.load(load_order);
    a.store(one, store_order);
    (void)a.exchange(one, order);
    T seen = a.load();
    while (!a.compare_exchange_weak(seen, one, order, load_order)) {
    }
    a.compare_exchange_strong(seen, one, order, load_order);
    if constexpr (std::is_integral_v<T>) {
      a.fetch_add(one, order);
      a.fetch_sub(one, order);
      a.fetch_or(one, order);
      a.fetch_and(one, order);
      a.fetch_xor(one, order);
    }
    std::atomic_thread_fence(order);
    std::atomic_signal_fence(order);
  }
}

static void wide_atomics() {
#ifdef WIDE
  alignas(16) static u128 w;
  u128 seen = __atomic_load_n(&w, __ATOMIC_ACQUIRE);
  __atomic_store_n(&w, seen + 1, __ATOMIC_RELEASE);
  __atomic_exchange_n(&w, seen, __ATOMIC_SEQ_CST);
  __atomic_compare_exchange_n(&w, &seen, seen + ((u128)1 << 64), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  __atomic_fetch_add(&w, 1, __ATOMIC_RELAXED);
  __atomic_fetch_nand(&w, (u128)3, __ATOMIC_RELAXED);
#endif
  static unsigned char nand;
  __atomic_fetch_nand(&nand, 3, __ATOMIC_RELAXED);
}

static void work(int n) {
  for (int i = 0; i < 3; i++) {
    std::lock_guard hold(lock);
    sizes(v1), sizes(v2), sizes(v4), sizes(v8), sizes(v16);
    watched = watched + 1;
    small = static_cast<unsigned char>(small + 1);
    blocks[0] = blocks[1];
    memcpy(blocks[1].bytes, blocks[0].bytes + 8, static_cast<size_t>(40 + n));
    memmove(blocks[1].bytes + 4, blocks[1].bytes, static_cast<size_t>(40 + n));
    memset(blocks[1].bytes, n, static_cast<size_t>(40 + n));
    try {
      thrower(n + i);
    } catch (const std::exception& e) {
      sum += e.what()[0] == 'o';
    }
    std::unique_ptr<Base> p = std::make_unique<Derived>(n);
    sum += p->answer();
  }
  sum_up:
  atomics<uint8_t>(1), atomics<uint16_t>(1), atomics<uint32_t>(1), atomics<uint64_t>(1), atomics<void*>(nullptr);
  wide_atomics();
  std::lock_guard hold(lock);
  sum += single().answer();
  if (n > 9) goto sum_up;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; i++) threads.emplace_back(work, i);
  for (auto& t : threads) t.join();
  assert(made == 1 && v1.plain == 9 && v16.plain == 9 && watched == 9 && small == 9);
  printf("sum %ld\n", sum);
}
