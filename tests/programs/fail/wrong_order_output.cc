// expect: output   Nothing crashes; what is written depends on the order.
// hunt: --fail-on-output ^ba
#include <cstdio>
#include <thread>
int main() {
  std::thread a([] { std::fputs("a", stdout); }), b([] { std::fputs("b", stdout); });
  a.join();
  b.join();
  std::puts("");
}
