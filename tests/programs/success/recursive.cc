// expect: clean   Recursive and error-checking mutexes.
#include <cassert>
#include <cerrno>
#include <mutex>
#include <pthread.h>
#include <thread>
int main() {
  std::recursive_mutex r;
  int n = 0;
  auto work = [&] {
    std::lock_guard a(r), b(r);
    assert(r.try_lock());
    n++;
    r.unlock();
  };
  std::thread x(work), y(work);
  x.join();
  y.join();
  assert(n == 2);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t e;
  pthread_mutex_init(&e, &kind);
  assert(pthread_mutex_unlock(&e) == EPERM);
  assert(pthread_mutex_lock(&e) == 0 && pthread_mutex_lock(&e) == EDEADLK && pthread_mutex_trylock(&e) == EBUSY);
  assert(pthread_mutex_unlock(&e) == 0 && pthread_mutex_destroy(&e) == 0);
}
