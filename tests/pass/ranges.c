// mem* calls, structures passed by value, and lengths that are known only at run time.
// RUN: %cc -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %cc -g -O2 %s -o %t.2 && %t.2 2>&1 | FileCheck %s
// RUN: %cc -g -O2 -fno-builtin %s -o %t.b && %t.b 2>&1 | FileCheck %s
#include <string.h>
struct Big { long a[6]; } big;
char from[64], to[64];
__attribute__((noinline)) long take(struct Big b) { return b.a[1]; }
int main(int argc, char** argv) {
// CHECK: hook READ_RANGE {{.*}}:[[@LINE+2]] main [from[]] length=8
// CHECK-NEXT: hook WRITE_RANGE {{.*}}:[[@LINE+1]] main [to[]] length=8
  memcpy(to, from, argc * 8);
// CHECK-NEXT: hook READ_RANGE {{.*}}:[[@LINE+2]] main [to[]] length=5
// CHECK-NEXT: hook WRITE_RANGE {{.*}}:[[@LINE+1]] main [to[]] length=5
  memmove(to + 1, to, 5);
// CHECK-NEXT: hook WRITE_RANGE {{.*}}:[[@LINE+1]] main [to[]] length=0
  memset(to, 0, argc - 1);
// The copy that the caller makes is read from `big`; the callee's copy is its own.
// CHECK-NEXT: hook READ_RANGE {{.*}}:[[@LINE+1]] main [big] length=48
  take(big);
// CHECK-NOT: hook
  return 0;
}
