// expect: clean   A running thread is cancelled at its test, and only there; destructors run on the way out.
#include <cassert>
#include <mutex>
#include <pthread.h>
static std::mutex m;
static int destroyed, loops;
struct Guard {
  ~Guard() {
    std::lock_guard lock(m);
    destroyed++;
  }
};
static void* runs(void*) {
  Guard outer;
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  for (int i = 0; i < 3; i++) {
    Guard inner;
    pthread_testcancel();
    std::lock_guard lock(m);
    loops++;
  }
  pthread_setcancelstate(old, nullptr);
  for (;;) {
    Guard inner;
    pthread_testcancel();
  }
}
int main() {
  pthread_t t;
  void* result = nullptr;
  pthread_create(&t, nullptr, runs, nullptr);
  pthread_cancel(t);
  pthread_join(t, &result);
  assert(result == PTHREAD_CANCELED && loops == 3 && destroyed >= 4);
}
