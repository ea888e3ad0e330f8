// Light clones: no hooks at plain accesses and in loops that only compute; hooks at atomics, volatile accesses and loops that may wait. Small ones
// are called directly, others through the selector. Functions whose own calls are steps have none.
// RUN: %cc -g -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %cc -g -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=O0
// RUN: %cc -g -O2 %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=SAID && %off %t | FileCheck %s --check-prefix=SAID
#include <pthread.h>
#include <stdio.h>
int table[64], data;
volatile int flag;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int unknown(void);

// CHECK: @__heddle_light{{.*}} = internal externally_initialized global { i32, i32, i32, i32 } { i32 0, {{.*}}section "heddle_lights"
// CHECK: define dso_local i32 @sum(
// CHECK: musttail call i32 @sum.enter(
// CHECK: define internal {{.*}}i32 @sum.light(
// CHECK-NOT: __heddle_
// CHECK: ret i32
// O0: define internal {{.*}}i32 @sum.light(
// O0-NOT: __heddle_
// O0: ret i32
static inline int at(int i) { return table[i & 63]; }
int sum(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += at(i);
  return s;
}
// CHECK: define internal {{.*}}i32 @waits.light(
// CHECK: call void @__heddle_branch(
// CHECK-NOT: __heddle_read4
// CHECK: ret i32
int waits(void) {
  while (!data) __builtin_ia32_pause();
  return data;
}
// CHECK: define internal {{.*}}i32 @kept.light(
// CHECK-NOT: __heddle_write4
// CHECK: call void @__heddle_read4(
// CHECK: call void @__heddle_atomic(
// CHECK: call void @__heddle_atomic_done(
// CHECK: ret i32
int kept(int* p) {
  data = flag;
  return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
}
// CHECK: define internal {{.*}}i32 @sum.enter(
// CHECK: load i32, ptr @__heddle_light
// CHECK: musttail call i32 @sum.heddle(
// CHECK: musttail call i32 @sum.light(
// CHECK-NOT: @locks.light
// CHECK-NOT: @calls_locks.light
static void lock(void) { pthread_mutex_lock(&m); }
void locks(void) {
  lock();
  data++;
  pthread_mutex_unlock(&m);
}
// SAID: 64 1 7
int main(void) {
  for (int i = 0; i < 64; i++) table[i] = 1;
  data = 1;
  flag = 7;
  int one = 7;
  int total = sum(64), waited = waits();
  printf("%d %d %d\n", total, waited, kept(&one));
}
