// expect: clean
// A Treiber stack with tagged pointers, a single-producer ring, a ticket lock, an MCS lock, a spinning reader-writer lock.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>
#include <vector>
using std::memory_order_acq_rel, std::memory_order_acquire, std::memory_order_relaxed, std::memory_order_release;

struct Node {
  int value;
  std::atomic<uint32_t> next{0};
};
Node nodes[8];
std::atomic<uint64_t> top{0};  // tag, index + 1
void push(uint32_t i) {
  uint64_t old = top.load(memory_order_relaxed);
  do nodes[i].next.store((uint32_t)old, memory_order_relaxed);
  while (!top.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | (i + 1), memory_order_release, memory_order_relaxed));
}
int pop() {
  uint64_t old = top.load(memory_order_acquire);
  while ((uint32_t)old) {
    uint32_t next = nodes[(uint32_t)old - 1].next.load(memory_order_relaxed);
    if (top.compare_exchange_weak(old, ((old >> 32) + 1) << 32 | next, memory_order_acq_rel, memory_order_acquire))
      return (int)(uint32_t)old - 1;
  }
  return -1;
}
int ring[2];
std::atomic<unsigned> written, taken;
std::atomic<unsigned> ticket, serving;
int by_ticket;
struct Waiter {
  std::atomic<Waiter*> next{nullptr};
  std::atomic<bool> locked{true};
};
std::atomic<Waiter*> tail;
int by_mcs;
std::atomic<int> rw;
int by_rw;
void with_locks() {
  unsigned mine = ticket.fetch_add(1, memory_order_relaxed);
  while (serving.load(memory_order_acquire) != mine) std::this_thread::yield();
  by_ticket++;
  serving.store(mine + 1, memory_order_release);

  Waiter me;
  if (Waiter* before = tail.exchange(&me, memory_order_acq_rel)) {
    before->next.store(&me, memory_order_release);
    while (me.locked.load(memory_order_acquire)) std::this_thread::yield();
  }
  by_mcs++;
  Waiter* expected = &me;
  if (!tail.compare_exchange_strong(expected, nullptr, memory_order_acq_rel)) {
    Waiter* next;
    while (!(next = me.next.load(memory_order_acquire))) std::this_thread::yield();
    next->locked.store(false, memory_order_release);
  }

  int none = 0;
  while (!rw.compare_exchange_weak(none, -1, memory_order_acquire)) none = 0, std::this_thread::yield();
  by_rw++;
  rw.store(0, memory_order_release);
  int n = rw.load(memory_order_relaxed);
  while (n < 0 || !rw.compare_exchange_weak(n, n + 1, memory_order_acquire)) n = rw.load(memory_order_relaxed), std::this_thread::yield();
  assert(by_rw > 0);
  rw.fetch_sub(1, memory_order_release);
}
int main() {
  std::vector<std::jthread> t;
  std::atomic<int> popped{0};
  for (int k = 0; k < 2; k++)
    t.emplace_back([&, k] {
      for (uint32_t i = 0; i < 3; i++) {
        nodes[k * 3 + i].value = 1;
        push(k * 3 + i);
      }
      for (int i = 0; i < 3; i++)
        if (int n = pop(); n >= 0) {
          assert(nodes[n].value == 1);
          nodes[n].value = 2;
          popped++;
        }
    });
  t.emplace_back([] {
    for (unsigned i = 0; i < 5; i++) {
      while (i - taken.load(memory_order_acquire) == 2) std::this_thread::yield();
      ring[i % 2] = (int)i;
      written.store(i + 1, memory_order_release);
    }
  });
  t.emplace_back([] {
    for (unsigned i = 0; i < 5; i++) {
      while (written.load(memory_order_acquire) == i) std::this_thread::yield();
      assert(ring[i % 2] == (int)i);
      taken.store(i + 1, memory_order_release);
    }
  });
  for (int i = 0; i < 3; i++) t.emplace_back(with_locks);
  t.clear();
  assert(popped == 6 && by_ticket == 3 && by_mcs == 3 && by_rw == 3);
}
