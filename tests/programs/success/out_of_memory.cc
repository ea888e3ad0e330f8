// expect: clean   malloc returns null, new throws, pthread_create says EAGAIN; the program goes on.
#include <cassert>
#include <cerrno>
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
  void* volatile none = std::malloc(std::size_t{1} << 30);  // volatile: an allocation that nobody uses may be left out
  assert(!none);
  bool thrown = false;
  std::thread t([&] {
    try {
      for (;;) none = new char[1 << 24];
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
