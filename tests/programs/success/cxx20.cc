// expect: clean   latch, barrier, semaphore, atomic wait, jthread with stop_token, condition_variable_any, shared_mutex.
#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
int main() {
  std::latch started(2);
  int phases = 0;
  std::barrier both(2, [&]() noexcept { phases++; });
  std::binary_semaphore token(0);
  std::atomic<int> turn{0};
  std::shared_mutex s;
  std::mutex m;
  std::condition_variable_any c;
  int value = 0;
  bool stopped = false;
  std::jthread waits([&](std::stop_token stop) {
    std::unique_lock lock(m);
    c.wait(lock, stop, [] { return false; });
    stopped = true;
  });
  auto work = [&](int me) {
    started.arrive_and_wait();
    both.arrive_and_wait();
    if (me == 0) {
      { std::unique_lock lock(s); value = 1; }
      token.release();
      turn = 1;
      turn.notify_all();
    } else {
      token.acquire();
      turn.wait(0);
      std::shared_lock lock(s);
      assert(value == 1);
    }
    both.arrive_and_wait();
  };
  {
    std::jthread a(work, 0), b(work, 1);
  }
  waits.request_stop();
  waits.join();
  assert(phases == 2 && stopped);
}
