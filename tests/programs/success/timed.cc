// expect: clean   Timed waits of all kinds end in time, and not before.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
using namespace std::chrono_literals;
int main() {
  auto start = std::chrono::steady_clock::now();
  std::timed_mutex m;
  std::shared_timed_mutex s;
  std::condition_variable c;
  std::counting_semaphore<4> few(0);
  std::mutex cm;
  m.lock();
  s.lock();
  std::thread t([&] {
    assert(!m.try_lock_for(3ms));
    assert(!s.try_lock_shared_for(3ms));
    assert(!s.try_lock_until(std::chrono::steady_clock::now() + 3ms));
    std::unique_lock lock(cm);
    assert(!c.wait_for(lock, 3ms, [] { return false; }));
    assert(!few.try_acquire_for(3ms));
    std::this_thread::sleep_for(3ms);
  });
  t.join();
  m.unlock();
  s.unlock();
  assert(std::chrono::steady_clock::now() - start >= 18ms);
}
