// -fheddle-late sees the program as shipped: what the optimiser removed is no event.
// RUN: %cc -g -O2 %s -o %t.e && %count %t.e 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %cc -g -O2 -fheddle-late %s -o %t.l && %count %t.l 2>&1 | FileCheck %s --check-prefix=LATE
// EARLY: count WRITE 1000
// LATE-NOT: count WRITE 1000
int racy;
int main(void) {
  for (int i = 0; i < 1000; ++i) racy++;
  return racy != 1000;
}
