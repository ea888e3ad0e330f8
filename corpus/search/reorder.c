// expect: assertion
// SCTBench CS.reorder_20: nineteen threads write a, then b; one reads b, then a, and must never see b's write without a's.
#include "threads.h"
enum { kSetters = 19 };
static int a, b;

static void* set(void* arg) {
  a = 1;
  b = -1;
  return arg;
}
static void* check(void* arg) {
  int seen_a = a, seen_b = b;
  assert(!(seen_a == 0 && seen_b == -1));  // FAILS
  return arg;
}
int main(void) {
  for (int i = 0; i < kSetters; i++) start(set, NULL);
  start(check, NULL);
  join_all();
}
