// expect: assertion
// SCTBench CS.fib_bench: the largest sum needs the two threads to take turns exactly.
#include "threads.h"
enum { kRounds = 3 };
static int i = 1, j = 1;

static void* add_j(void* arg) {
  for (int k = 0; k < kRounds; k++) i += j;
  return arg;
}
static void* add_i(void* arg) {
  for (int k = 0; k < kRounds; k++) j += i;
  return arg;
}
int main(void) {
  start(add_j, NULL);
  start(add_i, NULL);
  join_all();
  assert(i < 13 && j < 21);  // FAILS: 1 1 2 3 5 8 13 21
}
