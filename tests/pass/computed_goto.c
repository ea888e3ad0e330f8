// Computed gotos follow into the clones when their labels stay in the function; otherwise the function stays as it is.
// RUN: %cc -g -O0 %s -o %t.0 && %count %t.0 2>&1 | FileCheck %s && %off %t.0 | FileCheck %s --check-prefix=OUT
// RUN: %cc -g -O2 %s -o %t.2 && %count %t.2 2>&1 | FileCheck %s && %off %t.2 | FileCheck %s --check-prefix=OUT
// RUN: %cc -g -O2 -flto -fuse-ld=lld %s -o %t.2 && %count %t.2 2>&1 | FileCheck %s
// RUN: %cc -c -g -O2 -fheddle-stats %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: functions 1 not cloned: its labels are used elsewhere
// CHECK: count READ
// CHECK: count BRANCH
// OUT: 6 3 1
#include <stdio.h>
int memory;
int interpret(const char* code) {
  static const void* const table[] = {&&add, &&twice, &&stop};
  goto* table[*code++ - 'a'];
add: memory++; goto* table[*code++ - 'a'];
twice: memory *= 2; goto* table[*code++ - 'a'];
stop: return memory;
}
int local(int x) {
  void* where = x ? &&one : &&two;
  goto* where;
one: return 3;
two: return 4;
}
const void* leaked;
int leaks(int x) {
  leaked = &&here;
  if (x) goto* leaked;
  return 0;
here: return 1;
}
const void* const* outside(void) { static const void* t[1]; return t; }
const void* volatile escaped;
int escapes(void) {
  static const void* table[] = {&&there};  // not constant: shared by both clones, so the function stays
  goto* table[0];
there: return 1;
}
int main(void) { return printf("%d %d %d\n", interpret("aabac") + 1, local(1), escapes() & leaks(1)) < 0; }
