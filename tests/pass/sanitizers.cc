// Other sanitizers work with and without control.
// RUN: %c++ -g -O0 -fsanitize=address,undefined %s -o %t.0 && %count %t.0 2>%t.err | FileCheck %s && %off %t.0 | FileCheck %s
// RUN: %c++ -g -O1 -fsanitize=address,undefined %s -o %t.1 && %count %t.1 2>%t.err | FileCheck %s && %off %t.1 | FileCheck %s
// RUN: %c++ -g -O2 -fsanitize=address -fheddle-late %s -o %t.2 && %count %t.2 2>%t.err | FileCheck %s && %off %t.2 | FileCheck %s
#include <cstdarg>
#include <cstdio>
#include <map>
#include <string>
struct Big { long a[9]; };
Big make(Big b, long x) { b.a[0] = x; return b; }
int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }
int length(int n) { char text[n]; text[0] = 'x'; for (int i = 1; i < n; ++i) text[i] = text[i - 1]; return text[n - 1] == 'x'; }
int main() {
  std::map<std::string, Big> m;
  m["one"] = make(Big{}, 5);
  // CHECK: 5 6 1
  std::printf("%ld %d %d\n", m["one"].a[0], sum(3, 1, 2, 3), length(100));
}
