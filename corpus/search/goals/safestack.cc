// expect: assertion
// Vyukov's SafeStack (from its description): a lock-free stack of indices. Two threads own one item only after five preemptions.
#include <atomic>
#include "../threads.h"
enum { kThreads = 3, kItems = 3, kRounds = 4 };
struct Item {
  int value;
  std::atomic<int> next;
};
static Item items[kItems];
static std::atomic<int> head{0}, count{kItems};

static int pop() {
  while (count.load() > 1) {
    int top = head.load();
    int next = items[top].next.exchange(-1);
    if (next < 0) continue;
    int expected = top;
    if (head.compare_exchange_strong(expected, next)) {
      count.fetch_sub(1);
      return top;
    }
    items[top].next.exchange(next);
  }
  return -1;
}
static void push(int item) {
  int top = head.load();
  do items[item].next.store(top);
  while (!head.compare_exchange_strong(top, item));
  count.fetch_add(1);
}
static void* work(void* arg) {
  int self = (int)(long)arg;
  for (int i = 0; i < kRounds; i++) {
    int item;
    while ((item = pop()) < 0) sched_yield();
    items[item].value = self;
    assert(items[item].value == self);  // FAILS
    push(item);
  }
  return nullptr;
}
int main() {
  for (int i = 0; i < kItems; i++) items[i].next.store(i + 1 < kItems ? i + 1 : -1);
  for (long i = 0; i < kThreads; i++) start(work, (void*)i);
  join_all();
}
