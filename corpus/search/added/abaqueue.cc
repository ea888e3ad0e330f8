// expect: assertion
// A linked queue of indices whose nodes are used again, without a tag: the head that a slow consumer saw comes back.
#include <atomic>
#include "../threads.h"
enum { kNodes = 3, kNil = -1, kValues = 6 };
static std::atomic<int> next_of[kNodes], value_of[kNodes], taken[kValues];
static std::atomic<int> head{0}, tail{2};

static int dequeue(int* freed) {
  for (;;) {
    int first = head.load(), next = next_of[first].load();
    if (next == kNil) return *freed = kNil;
    int value = value_of[next].load();
    if (!head.compare_exchange_strong(first, next)) continue;
    *freed = first;
    assert(taken[value].exchange(1) == 0);  // FAILS
    return value;
  }
}
static void enqueue(int node, int value) {
  value_of[node].store(value);
  next_of[node].store(kNil);
  int last = tail.exchange(node);
  next_of[last].store(node);
}
static void* slow(void* arg) {
  int freed;
  dequeue(&freed);
  return arg;
}
static void* busy(void* arg) {
  int freed;
  for (int value = 3; value < kValues; value++)
    if (dequeue(&freed) != kNil) enqueue(freed, value);
  return arg;
}
int main() {
  for (int i = 0; i < kNodes; i++) {
    next_of[i].store(i + 1 < kNodes ? i + 1 : kNil);
    value_of[i].store(i);
  }
  start(slow, nullptr);
  start(busy, nullptr);
  join_all();
}
