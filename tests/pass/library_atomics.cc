// Atomic objects of more than 16 bytes, through libatomic; 16 bytes, as instructions.
// RUN: %c++ -g -O0 %s -latomic -o %t.0 && %t.0 2>&1 | FileCheck %s
// RUN: %c++ -g -O2 %s -latomic -o %t.2 && %t.2 2>&1 | FileCheck %s
#include <atomic>
struct Pair { long a, b; };
struct Triple { long a, b, c; };
std::atomic<Pair> pair{Pair{5, 6}};
std::atomic<Triple> triple{Triple{7, 8, 9}};
int main() {
// CHECK: hook ATOMIC_LOAD size=16 {{.*}} [this->_M_i] order=5/5
// CHECK: done ATOMIC_LOAD value=5 success=1
  Pair p = pair.load();
// CHECK: hook ATOMIC_LOAD size=24 {{.*}} [this->_M_i] order=2/2
// CHECK: done ATOMIC_LOAD value=7 success=1
  Triple t = triple.load(std::memory_order_acquire);
// CHECK: hook ATOMIC_STORE size=24 {{.*}} order=5/5
// CHECK: done ATOMIC_STORE value=10 success=1
  triple.store(Triple{10, 0, 0});
// CHECK: hook ATOMIC_CAS size=24 {{.*}} order=5/5
// CHECK: done ATOMIC_CAS value=10 success=0
  bool failed = !triple.compare_exchange_strong(t, Triple{});
// CHECK: hook ATOMIC_CAS size=24
// CHECK: done ATOMIC_CAS value=10 success=1
  bool ok = triple.compare_exchange_strong(t, Triple{11, 0, 0});
// CHECK: hook ATOMIC_RMW size=24
// CHECK: done ATOMIC_RMW value=11 success=1
  Triple last = triple.exchange(Triple{});
  return !(failed && ok && last.a == 11 && p.b == 6);
}
