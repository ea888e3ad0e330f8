// sret, byval, references, member pointers, virtual and covariant thunks, operators, exceptions through dispatchers.
// RUN: %c++ -O0 -g %s -o %t.0 && %count %t.0 2>%t.err | FileCheck %s && %off %t.0 | FileCheck %s
// RUN: %c++ -O1 %s -o %t.1 && %count %t.1 2>%t.err | FileCheck %s && %off %t.1 | FileCheck %s
// RUN: %c++ -O2 -g %s -o %t.2 && %count %t.2 2>%t.err | FileCheck %s && %off %t.2 | FileCheck %s
// RUN: %c++ -O3 -flto -fuse-ld=lld %s -o %t.3 && %count %t.3 2>%t.err | FileCheck %s && %off %t.3 | FileCheck %s
#include <csetjmp>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>

struct Big { long a[9]; };
Big make(long x, Big b) { b.a[0] += x; return b; }
struct A { virtual ~A() = default; virtual A* self() { return this; } virtual Big big(Big b) { return b; } int x = 1; };
struct B { virtual ~B() = default; virtual B* other() { return this; } virtual int sum(int n, ...) { return n; } int y = 2; };
struct C : A, B {
  C* self() override { return this; }
  C* other() override { return this; }
  Big big(Big b) override { b.a[1] = 5; return b; }
  int sum(int n, ...) override { __builtin_va_list l; __builtin_va_start(l, n); int s = 0; while (n--) s += __builtin_va_arg(l, int); __builtin_va_end(l); return s + y; }
};
struct V : virtual A { int z = 3; V() { x = 9; } };
struct W : V { std::string name; explicit W(std::string n) : name(std::move(n)) {} };
int depth(int n) { if (n == 0) throw std::runtime_error("deep"); struct Guard { int* p; ~Guard() { ++*p; } }; static int unwound; Guard g{&unwound}; return depth(n - 1) + unwound; }
std::jmp_buf jump;
int again(int n) { if (n > 3) std::longjmp(jump, n); return again(n + 1); }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int pure(int) __attribute__((const));
int pure(int x) { return x * 2; }

int main() {
  Big (*volatile maker)(long, Big) = make;
  C c;
  A* a = &c;
  B* b = &c;
  Big (A::*member)(Big) = &A::big;
  // CHECK: 7 5 1
  std::printf("%ld %ld %d\n", maker(7, Big{}).a[0], (a->*member)(Big{}).a[1], b->other() == b && a->self() == a);
  // CHECK: 8 w9
  W w("w");
  std::printf("%d %s%d\n", b->sum(3, 1, 2, 3), w.name.c_str(), w.x);
  try { depth(5); } catch (const std::exception& e) { std::puts(e.what()); }  // CHECK: deep
  volatile int tries = 0;
  int code = setjmp(jump);
  if (code == 0) { tries = tries + 1; again(0); }
  // CHECK: 4 1 55
  std::printf("%d %d %d\n", code, tries, fib(10));
  std::function<int(int)> f = [&](int x) { return x + fib(5) + pure(x); };
  std::printf("%d\n", f(1));  // CHECK: 8
}
