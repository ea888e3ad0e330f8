// expect: clean   Exceptions leave call_once, pthread_once and a static's constructor; the next caller does the work.
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>
static std::once_flag flag;
static std::mutex m;
static int tries, caught, statics, made;
struct Static {
  Static() {
    std::lock_guard lock(m);
    if (++statics == 1) throw 1;
    made++;
  }
};
static void use() {
  try {
    std::call_once(flag, [] {
      std::lock_guard lock(m);
      if (++tries == 1) throw std::runtime_error("first");
    });
  } catch (const std::exception&) {
    std::lock_guard lock(m);
    caught++;
  }
  try {
    static Static s;
  } catch (int) {
    std::lock_guard lock(m);
    caught++;
  }
}
int main() {
  std::thread a(use), b(use);
  a.join();
  b.join();
  assert(tries == 2 && statics == 2 && caught == 2 && made == 1);
}
