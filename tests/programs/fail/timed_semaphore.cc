// expect: assertion   try_acquire_for() may fail, and the thread goes on without the semaphore.
// runs: 1000
#include <atomic>
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>
static std::counting_semaphore<3> slots(1);
static std::atomic<int> inside{0};
int main() {
  auto enter = [] {
    (void)slots.try_acquire_for(std::chrono::milliseconds(1));
    int now = ++inside;
    assert(now <= 1);
    --inside;
    slots.release();
  };
  std::thread a(enter), b(enter);
  a.join();
  b.join();
}
