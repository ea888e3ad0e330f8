// expect: assertion
// A free list of indices with compare-and-exchange and no tag: ABA, the idea of many lock-free bugs in CHESS's papers.
#include <atomic>
#include "threads.h"
enum { kNodes = 3, kNil = -1 };
static std::atomic<int> head{0};
static std::atomic<int> next_of[kNodes];
static std::atomic<int> owner[kNodes];

static int allocate() {
  int h = head.load();
  while (h != kNil && !head.compare_exchange_strong(h, next_of[h].load())) {
  }
  if (h != kNil) assert(owner[h].exchange(1) == 0);  // FAILS
  return h;
}
static void give_back(int node) {
  owner[node].store(0);
  int h = head.load();
  do next_of[node].store(h);
  while (!head.compare_exchange_strong(h, node));
}
static void* one(void* arg) {
  allocate();
  allocate();
  return arg;
}
static void* two(void* arg) {
  int a = allocate(), b = allocate();
  if (a != kNil) give_back(a);
  (void)b;
  return arg;
}
int main() {
  for (int i = 0; i < kNodes; i++) next_of[i].store(i + 1 < kNodes ? i + 1 : kNil);
  start(one, nullptr);
  start(two, nullptr);
  join_all();
}
