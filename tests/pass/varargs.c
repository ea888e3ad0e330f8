// Arguments behind "..." pass the dispatcher, in registers and on the stack, also floating point.
// RUN: %cc -O0 %s -o %t.0 && %count %t.0 | FileCheck %s && %off %t.0 | FileCheck %s
// RUN: %cc -O2 %s -o %t.2 && %count %t.2 | FileCheck %s && %off %t.2 | FileCheck %s
// RUN: %cc -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR
#include <stdarg.h>
#include <stdio.h>
// IR: define dso_local double @sum(i32 noundef %0, ...)
// IR: asm sideeffect "cmpl $$0, $0\0A\09jne ${1:P}\0A\09jmp ${2:P}"{{.*}}@__heddle_active, ptr nonnull @sum.{{heddle|enter}}, ptr nonnull @sum.plain
__attribute__((noinline)) double sum(int n, ...) {
  va_list list;
  va_start(list, n);
  double total = 0;
  for (int i = 0; i < n; ++i) total += i % 2 ? va_arg(list, double) : va_arg(list, int);
  va_end(list);
  return total;
}
double (*volatile indirect)(int, ...) = sum;
// CHECK: 136.5 136.5
int main(void) {
  printf("%.1f %.1f\n", sum(16, 1, 2., 3, 4., 5, 6., 7, 8., 9, 10., 11, 12., 13, 14., 15, 16.5),
         indirect(16, 1, 2., 3, 4., 5, 6., 7, 8., 9, 10., 11, 12., 13, 14., 15, 16.5));
}
