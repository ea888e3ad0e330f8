// expect: assertion
// Lamport's bakery without the flag that says that a number is being chosen: three customers.
#include <atomic>
#include "threads.h"
enum { kThreads = 3 };
static std::atomic<int> number[kThreads], inside{0};

static void* customer(void* arg) {
  int self = (int)(long)arg, highest = 0;
  for (auto& n : number)
    if (int seen = n.load(); seen > highest) highest = seen;
  number[self].store(highest + 1);
  for (int other = 0; other < kThreads; other++)
    for (;;) {
      int seen = number[other].load();
      if (other == self || seen == 0 || seen > highest + 1 || (seen == highest + 1 && other > self)) break;
      sched_yield();
    }
  assert(inside.fetch_add(1) == 0);  // FAILS
  inside.fetch_sub(1);
  number[self].store(0);
  return nullptr;
}
int main() {
  for (long i = 0; i < kThreads; i++) start(customer, (void*)i);
  join_all();
}
