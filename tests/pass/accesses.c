// Every access of the source is an event, with its size, at every level of optimisation.
// RUN: %cc -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %cc -g -O1 %s -o %t.1 && %t.1 2>&1 | FileCheck %s
// RUN: %cc -g -O2 %s -o %t.2 && %t.2 2>&1 | FileCheck %s
// RUN: %cc -g -O3 -fPIC %s -o %t.3 && %t.3 2>&1 | FileCheck %s
// RUN: %cc -g -Os -no-pie %s -o %t.s && %t.s 2>&1 | FileCheck %s
// RUN: %cc -O2 %s -o %t.n && %t.n 2>&1 | FileCheck %s --check-prefix=NODEBUG
// RUN: %off %t.2 2>&1 | count 0
struct Big { int a[8]; };
struct Node { int value; struct Node* next; };
char c1; short s2; int i4; long l8; __int128 x16; long double ld; float f4; double d8;
volatile int vol; struct Big big1, big2; struct Node node, other; int array[4];
static int hidden;

void use(struct Node* n, int* p, int i) {
  n->next->value = i;
  p[i] = *p;
  (void)vol;
  hidden++;
}

int main(void) {
// CHECK: module 1
// CHECK-NEXT: hook WRITE size=1 flags=0 accesses.c:[[@LINE+2]] main [c1]
// NODEBUG: hook WRITE size=1 flags=0 :0 main [c1]
  c1 = 1;
// CHECK-NEXT: hook WRITE size=2 {{.*}}:[[@LINE+1]] main [s2]
  s2 = 2;
// CHECK-NEXT: hook WRITE size=4 {{.*}}:[[@LINE+1]] main [i4]
  i4 = 3;
// CHECK-NEXT: hook WRITE size=8 {{.*}}:[[@LINE+1]] main [l8]
  l8 = 4;
// CHECK-NEXT: hook WRITE size=16 {{.*}}:[[@LINE+1]] main [x16]
  x16 = 5;
// CHECK-NEXT: hook WRITE_RANGE size=0 {{.*}}:[[@LINE+1]] main [ld] length=10
  ld = 6;
// CHECK-NEXT: hook READ size=4 {{.*}}:[[@LINE+2]] main [f4]
// CHECK-NEXT: hook WRITE size=8 {{.*}}:[[@LINE+1]] main [d8]
  d8 = f4;
// CHECK-NEXT: hook READ_RANGE {{.*}}:[[@LINE+2]] main [big2] length=32
// CHECK-NEXT: hook WRITE_RANGE {{.*}}:[[@LINE+1]] main [big1] length=32
  big1 = big2;
// CHECK-NEXT: hook WRITE size=8 flags=0 {{.*}}:[[@LINE+1]] main [node.next]
  node.next = &other;
// CHECK-NEXT: hook READ size=8 {{.*}} use [n->next]
// CHECK-NEXT: hook WRITE size=4 {{.*}} use [n->next->value]
// CHECK-NEXT: hook READ size=4 {{.*}} use [*p]
// CHECK-NEXT: hook WRITE size=4 {{.*}} use [p[]]
// CHECK-NEXT: hook READ size=4 flags=1 {{.*}} use [vol]
// CHECK-NEXT: hook READ size=4 flags=0 {{.*}} use [hidden]
// CHECK-NEXT: hook WRITE size=4 flags=0 {{.*}} use [hidden]
  use(&node, array, 2);
// CHECK-NOT: hook
  return 0;
}
