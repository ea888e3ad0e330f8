// An invoke has its hook whatever it returns; one that throws has none.
// RUN: clang++ -g -O0 -c -DLIBRARY %s -o %t.o
// RUN: %c++ -fheddle-calls -g -O0 %s %t.o -o %t.0 && env HEDDLE_TEST_CALLS=1 %t.0 2>&1 | FileCheck %s
// RUN: %c++ -fheddle-calls -g -O2 %s %t.o -o %t.2 && env HEDDLE_TEST_CALLS=1 %t.2 2>&1 | FileCheck %s
#ifdef LIBRARY
void may_throw(int x) {
  if (x) throw x;
}
#else
void may_throw(int x);
int main() {
  int caught = 0;
  try {
// CHECK: hook CALL size=0 flags=0 call_results.cc:[[@LINE+1]] main [] result=0
    may_throw(0);
// CHECK-NOT: hook CALL size=0
    may_throw(5);
// CHECK: hook CALL size=8 {{.*}} result={{[0-9-]+}}
  } catch (int x) {
    caught = x;
  }
  return caught != 5;
}
#endif
