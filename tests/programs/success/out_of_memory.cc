// expect: clean   malloc returns null, new throws, pthread_create says EAGAIN; the program goes on.
#include <cassert>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sys/resource.h>
#include <thread>
int main() {
  rlimit old, small;
  getrlimit(RLIMIT_AS, &old);
  small = old;
  small.rlim_cur = 100 << 20;
  assert(setrlimit(RLIMIT_AS, &small) == 0);
  assert(!std::malloc(std::size_t{1} << 30));
  bool thrown = false;
  std::thread t([&] {
    try {
      for (;;) (void)!new char[1 << 24];
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
  });
  t.join();
  pthread_attr_t big;
  pthread_attr_init(&big);
  pthread_attr_setstacksize(&big, std::size_t{1} << 30);
  pthread_t never;
  assert(pthread_create(&never, &big, [](void* p) { return p; }, nullptr) == EAGAIN);
  assert(setrlimit(RLIMIT_AS, &old) == 0);
  assert(thrown);
}
