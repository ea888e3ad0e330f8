// expect: clean   Destructors of thread_local objects and of keys lock mutexes, and still count before the join returns.
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <thread>
static std::mutex m;
static int ended, keys;
struct Local {
  int touched = 0;
  ~Local() {
    std::lock_guard lock(m);
    ended++;
  }
};
static thread_local Local local;
static pthread_key_t key;
int main() {
  pthread_key_create(&key, [](void* round) {
    std::lock_guard lock(m);
    keys++;
    if ((long)round < 3) pthread_setspecific(key, (void*)((long)round + 1));
  });
  auto work = [] {
    local.touched++;
    pthread_setspecific(key, (void*)1);
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(ended == 2 && keys == 6);
}
