// Atomic operations: kind, size, orders in C numbers, value before (load, rmw, cas) or stored (store), success of a cas.
// RUN: %cc -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %cc -g -O2 %s -o %t.2 && %t.2 2>&1 | FileCheck %s
// RUN: %cc -g -O2 -flto %s -o %t.l && %t.l 2>&1 | FileCheck %s
#include <stdatomic.h>
_Atomic int i = 7;
_Atomic(char*) p;
_Atomic float f;
_Atomic double d;
_Atomic unsigned char c;
int main(void) {
// CHECK: hook ATOMIC_LOAD size=4 flags=0 atomics.c:[[@LINE+2]] main [i] order=2/2
// CHECK-NEXT: done ATOMIC_LOAD value=7 success=1
  atomic_load_explicit(&i, memory_order_acquire);
// CHECK-NEXT: hook ATOMIC_STORE size=4 {{.*}} order=3/3
// CHECK-NEXT: done ATOMIC_STORE value=8 success=1
  atomic_store_explicit(&i, 8, memory_order_release);
// CHECK-NEXT: hook ATOMIC_RMW size=4 {{.*}} order=0/0
// CHECK-NEXT: done ATOMIC_RMW value=8 success=1
  atomic_fetch_add_explicit(&i, 2, memory_order_relaxed);
// CHECK-NEXT: hook ATOMIC_RMW size=4 {{.*}} order=4/4
// CHECK-NEXT: done ATOMIC_RMW value=10 success=1
  atomic_exchange_explicit(&i, 11, memory_order_acq_rel);
  int expected = 5;
// CHECK-NEXT: hook ATOMIC_CAS size=4 {{.*}} order=5/0
// CHECK-NEXT: done ATOMIC_CAS value=11 success=0
  int ok = atomic_compare_exchange_strong_explicit(&i, &expected, 6, memory_order_seq_cst, memory_order_relaxed);
// CHECK: hook ATOMIC_CAS size=4 {{.*}} order=5/5
// CHECK-NEXT: done ATOMIC_CAS value=11 success=1
  ok += atomic_compare_exchange_strong(&i, &expected, 6);
// CHECK: hook ATOMIC_STORE size=8 {{.*}} [p] order=5/5
// CHECK-NEXT: done ATOMIC_STORE value=16 success=1
  p = (char*)16;
// CHECK-NEXT: hook ATOMIC_STORE size=4 {{.*}} [f]
// CHECK-NEXT: done ATOMIC_STORE value=1065353216 success=1
  f = 1.0f;
// CHECK-NEXT: hook ATOMIC_STORE size=8 {{.*}} [d]
// CHECK-NEXT: done ATOMIC_STORE value=4607182418800017408 success=1
  d = 1.0;
// CHECK-NEXT: hook ATOMIC_STORE size=1 {{.*}} [c]
  c = 255;
// CHECK: hook FENCE {{.*}} order=5
  atomic_thread_fence(memory_order_seq_cst);
// CHECK-NEXT: hook FENCE {{.*}} order=2
  atomic_thread_fence(memory_order_acquire);
// A compiler barrier is no event.
// CHECK-NOT: hook
  atomic_signal_fence(memory_order_seq_cst);
  return ok != 1;
}
