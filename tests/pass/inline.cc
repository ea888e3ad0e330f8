// Inline functions, templates and their C5 comdats in two modules: one copy survives, with its sites; one constructor runs.
// RUN: %c++ -g -O0 -I%inputs %s %inputs/other.cc -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs %s %inputs/other.cc -o %t.2 && %t.2 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs -fuse-ld=lld -Wl,--gc-sections -ffunction-sections -fdata-sections %s %inputs/other.cc -o %t.g && %t.g 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs -Wl,--gc-sections -ffunction-sections %s %inputs/other.cc -o %t.b && %t.b 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs -flto -fuse-ld=lld %s %inputs/other.cc -o %t.l && %t.l 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs -flto=thin -fuse-ld=lld %s %inputs/other.cc -o %t.t && %t.t 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 -I%inputs -flto %s %inputs/other.cc -o %t.f && %t.f 2>&1 | FileCheck %s
// A module compiled without us may win the comdat, or lose it.
// RUN: clang++ -g -O0 -I%inputs -c %inputs/other.cc -o %t.plain.o && %c++ -g -O0 -I%inputs -c %s -o %t.o
// RUN: %c++ %t.o %t.plain.o -o %t.m1 && %t.m1 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: %c++ %t.plain.o %t.o -o %t.m2 && %t.m2 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: %sites %t.0 | grep -c "READ 4 .* _ZN3BoxIiE3getEv .this->value." | grep -x 1
// CHECK: module 1 sites>0=1
// CHECK-NOT: module
// CHECK: hook WRITE size=4 {{.*}} _ZN3BoxIiEC2Ei [this->value]
// CHECK: hook READ size=4 {{.*}} _ZN3BoxIiE3getEv [this->value]
// CHECK-NOT: module
// CHECK: result 42 0
// MIXED: result 42 0
#include "inline.h"

#include <cstdio>
int main() {
  { Box<int> b(1); counter() += b.get(); }
  int r = other();
  std::fprintf(stderr, "result %d %d\n", r, calls);
}
