// expect: assertion
// Peterson's algorithm with the turn taken before the flag is raised.
#include <atomic>
#include "threads.h"
static std::atomic<int> flag[2], turn{0}, inside{0};

static void* work(void* arg) {
  long self = (long)arg, other = 1 - self;
  for (int round = 0; round < 2; round++) {
    turn.store((int)other);
    flag[self].store(1);
    while (flag[other].load() && turn.load() == (int)other) sched_yield();
    assert(inside.fetch_add(1) == 0);  // FAILS
    inside.fetch_sub(1);
    flag[self].store(0);
  }
  return nullptr;
}
int main() {
  start(work, (void*)0);
  start(work, (void*)1);
  join_all();
}
