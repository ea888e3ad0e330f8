// The module registers before its first constructor, of whatever priority: constructors are controlled too.
// RUN: %c++ -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 %s -o %t.2 && %t.2 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 -fuse-ld=lld %s -o %t.2 && %t.2 2>&1 | FileCheck %s
// CHECK: module 1
// CHECK: hook WRITE {{.*}} _Z5firstv [early]
// CHECK: hook WRITE {{.*}} [this->value]
// CHECK: hook READ {{.*}} main [object.value]
// CHECK: hook WRITE {{.*}} _ZN6ObjectD2Ev [early]
extern int early;
int early;
__attribute__((constructor(101))) void first() { early = 1; }
struct Object { int value; Object() { value = early; } ~Object() { early = 2; } } object;
int main() { return object.value - 1; }
