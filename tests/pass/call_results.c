// What a function without hooks returned is told of behind its call, on request only; ordinals of other sites stay.
// RUN: clang -g -O0 -c -DLIBRARY %s -o %t.o
// RUN: %cc -fheddle-calls -g -O0 %s %t.o -o %t.0 && env HEDDLE_TEST_CALLS=1 %t.0 2>&1 | FileCheck %s
// RUN: %cc -fheddle-calls -g -O2 %s %t.o -o %t.2 && env HEDDLE_TEST_CALLS=1 %t.2 2>&1 | FileCheck %s
// RUN: %t.2 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: hook CALL
#ifdef LIBRARY
int number(int x) { return x - 3; }
char letter(void) { return 'A'; }
void* same(void* p) { return p; }
double half(int x) { return x / 2.0; }
int apply(int (*f)(int), int x) { return f(x); }
void nothing(void) {}
#else
int number(int);
char letter(void);
void* same(void*);
double half(int);
int apply(int (*)(int), int);
void nothing(void);
__attribute__((noinline)) static int own(int x) { return x + 1; }
int main(void) {
// CHECK: hook CALL size=4 flags=0 call_results.c:[[@LINE+1]] main [] result=4294967295
  int a = number(2);
// CHECK: hook CALL size=1 flags=0 call_results.c:[[@LINE+1]] main [] result=65
  char b = letter();
// CHECK: hook CALL size=8 flags=0 call_results.c:[[@LINE+1]] main [] result=0
  void* c = same(0);
// CHECK: hook CALL size=8 flags=0 call_results.c:[[@LINE+1]] main [] result=4609434218613702656
  double d = half(3);
  nothing();
  int e = own(1);
// CHECK: hook CALL size=4 flags=0 call_results.c:[[@LINE+1]] main [] result=2
  int f = apply(own, 1);
// CHECK-NOT: hook CALL
  return !(a == -1 && b == 'A' && !c && d == 1.5 && e == 2 && f == 2);
}
#endif
