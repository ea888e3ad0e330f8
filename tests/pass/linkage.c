// Weak functions stay replaceable, aliases follow, local functions need no dispatcher, ifuncs work.
// RUN: %cc -g -O2 %s %inputs/strong.c -o %t && %t 2>&1 | FileCheck %s && %off %t 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %cc -g -O0 -fPIC %s %inputs/strong.c -o %t && %t 2>&1 | FileCheck %s && %off %t 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %cc -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
// IR-NOT: define {{.*}} @helper(
// IR-DAG: define internal {{.*}} @helper.plain(
// IR-DAG: define weak {{.*}} @replaced()
// IR-DAG: @renamed = {{.*}}alias {{.*}}, ptr @original
// IR-DAG: define {{.*}} @callback(
#include <stdio.h>
int shared;
__attribute__((weak)) int replaced(void) { return 1; }
__attribute__((weak)) int kept(void) { return shared++, 3; }
int original(void) { return shared + 4; }
int renamed(void) __attribute__((alias("original")));
__attribute__((noinline)) static int helper(int x) { return x + shared; }
__attribute__((noinline)) static int callback(int x) { return x * 2; }
static int (*resolve(void))(void) { return original; }
int dispatched(void) __attribute__((ifunc("resolve")));
int main(void) {
  int (*volatile pointer)(int) = callback;
// CHECK: [shared]
// CHECK: 2 3 5 2 6 5 1
// OFF: 2 3 5 2 6 5 1
  fprintf(stderr, "%d %d %d %d %d %d %d\n", replaced(), kept(), renamed(), helper(1), pointer(3), dispatched(), pointer == callback);
}
