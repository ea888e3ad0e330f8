// Calls of functions that may have no hooks are told of, before and behind; those of libc and libstdc++, of the module itself, and calls that
// do not return are not.
// RUN: %c++ -g -O1 -S -emit-llvm %s -o - | FileCheck %s
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
extern "C" {
int compress_block(void* p);
int may_throw(std::string* s);
[[noreturn]] void give_up();
int pure(int) __attribute__((const));
}
__attribute__((noinline)) int of_this_module(int* p) { return *p + 1; }
// CHECK-LABEL: define {{.*}}calls{{.*}}.heddle(
int calls(int* p) {
  // CHECK: call void @__heddle_call_out(ptr nonnull @heddle.call
  // CHECK-NEXT: {{call.* @compress_block}}
  // CHECK-NEXT: call void @__heddle_call_in()
  int r = compress_block(p);
  // CHECK-NOT: __heddle_call_out
  // CHECK: ret
  if (r == 7) give_up();
  return r + of_this_module(p) + pure(r) + std::abs(*p) + (int)std::sin(*p) + std::printf("%d", r) + (int)std::string(*p, 'x').size();
}
// CHECK-LABEL: define {{.*}}invokes{{.*}}.heddle(
int invokes(int n) {
  std::string s(n, 'x');
  // CHECK: call void @__heddle_call_out
  // CHECK-NEXT: {{invoke.* @may_throw}}
  // CHECK-NEXT: to label %[[NORMAL:[0-9]+]] unwind
  // CHECK: [[NORMAL]]:
  // CHECK-NEXT: call void @__heddle_call_in()
  return may_throw(&s);
}
