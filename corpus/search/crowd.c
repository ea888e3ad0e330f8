// expect: assertion
// SCTBench CS.reorder_100's size: many threads write two words, each under no lock; two readers take them in the other order.
#include "threads.h"
enum { kSetters = 60 };
static int first, second;

static void* set(void* arg) {
  first++;
  second = 1;
  return arg;
}
static void* check(void* arg) {
  int a = first;
  int b = second;
  assert(a || !b);  // FAILS
  return arg;
}
int main(void) {
  for (int i = 0; i < kSetters / 2; i++) start(set, NULL);
  start(check, NULL);
  for (int i = 0; i < kSetters / 2; i++) start(set, NULL);
  start(check, NULL);
  join_all();
}
