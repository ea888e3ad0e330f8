// outcome: 0 for the true side; switches number the default 0 and the cases from 1; loops are marked.
// RUN: %cc -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %cc -g -O2 %s -o %t.2 && %t.2 2>&1 | FileCheck %s
__attribute__((noinline)) int choose(int x) {
  switch (x) {
    case 10: return 1;
    case 20:
    case 30: return 2;
    default: return 3;
  }
}
int main(int argc, char** argv) {
// CHECK: hook BRANCH size=0 flags=0 branches.c:[[@LINE+1]] main [] outcome=0
  if (argc == 1) argc = 2;
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[@LINE+1]] main [] outcome=1
  if (argc == 1) argc = 3;
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[#SWITCH:]] choose [] outcome=1
  int sum = choose(10);
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[#SWITCH]] choose [] outcome=2
  sum += choose(20);
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[#SWITCH]] choose [] outcome=2
  sum += choose(30);
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[#SWITCH]] choose [] outcome=0
  sum += choose(31);
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[#LOOP:@LINE+5]] main [] outcome=0
// CHECK-NEXT: hook BRANCH size=0 flags=4612 branches.c:[[#LOOP]] main [] outcome=0
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[#LOOP]] main [] outcome=0
// CHECK-NEXT: hook BRANCH size=0 flags=4612 branches.c:[[#LOOP]] main [] outcome=0
// CHECK-NEXT: hook BRANCH size=0 flags=0 branches.c:[[#LOOP]] main [] outcome=1
  for (int i = 0; i < 2; ++i) sum += i;
// CHECK-NEXT: hook BRANCH size=0 flags=4612 branches.c:{{.*}} outcome=0
// CHECK-NEXT: hook BRANCH size=0 flags=4612 branches.c:{{.*}} outcome=1
  int n = 2;
  do --n; while (n);
// CHECK-NOT: hook
  return sum != 9;
}
