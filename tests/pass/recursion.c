// A recording calls no hooks at branches that close no loop, but in functions that recurse: those run long, too. flags=64
// RUN: %cc -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %cc -g -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
int odd(int n);
__attribute__((noinline)) int even(int n) { return n ? odd(n - 1) : 1; }
__attribute__((noinline)) int odd(int n) { return n ? even(n - 1) : 0; }
__attribute__((noinline)) int sign(int n) { if (n < 0) return -1; return 1; }
// IR: define internal {{.*}} @even.heddle
// IR-NOT: @__heddle_active
// IR: call void @__heddle_branch
// IR: define internal {{.*}} @sign.heddle
// IR: load volatile i32, ptr @__heddle_active
// IR: call void @__heddle_branch
int main(void) {
// CHECK: hook BRANCH size=0 flags=64 recursion.c:5 even [] outcome=0
// CHECK-NEXT: hook BRANCH size=0 flags=64 recursion.c:6 odd [] outcome=1
  int sum = even(1);
// CHECK-NEXT: hook BRANCH size=0 flags=0 recursion.c:7 sign [] outcome=1
  return sum + sign(4) - 1;
}
