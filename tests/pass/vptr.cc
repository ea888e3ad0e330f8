// Accesses of the vtable pointer are marked (2), with and without type-based alias information.
// RUN: %c++ -g -O0 %s -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 %s -o %t.2 && %t.2 2>&1 | FileCheck %s
// CHECK: hook WRITE size=8 flags=2 {{.*}} _ZN4BaseC2Ev [this->_vptr$Base]
// CHECK: hook WRITE size=8 flags=2 {{.*}} _ZN7DerivedC2Ev
// CHECK: hook READ size=8 flags=2 {{.*}} _Z4callP4Base [b->_vptr$Base]
struct Base { virtual int f() { return 1; } };
struct Derived : Base { int f() override { return 0; } };
int call(Base* b) { return b->f(); }
int main() { Derived d; return call(&d); }
