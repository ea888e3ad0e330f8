// expect: exception   Nobody catches bad_alloc: the failure names it.
// tsan: none, gcc removes the allocation
#include <new>
#include <sys/resource.h>
#include <thread>
int main() {
  rlimit small{200 << 20, 200 << 20};
  setrlimit(RLIMIT_AS, &small);
  std::thread t([] {
    for (;;) *new char[1 << 24] = 1;
  });
  t.join();
}
