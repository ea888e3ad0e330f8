// expect: clean
// condition_variable_any with stop_token, stop callbacks, jthread's own stop, any lockable.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>
using namespace std::chrono_literals;

std::shared_mutex lock;
std::condition_variable_any changed;
std::deque<int> queue;
int consumed;

void consume(std::stop_token stop) {
  std::unique_lock hold(lock);
  for (;;) {
    if (!changed.wait(hold, stop, [] { return !queue.empty(); })) return;
    consumed += queue.front();
    queue.pop_front();
  }
}
int main() {
  {
    std::jthread a(consume), b(consume);
    int called = 0;
    std::stop_callback note(a.get_stop_token(), [&] { called++; });
    for (int i = 1; i <= 4; i++) {
      std::unique_lock hold(lock);
      queue.push_back(i);
      hold.unlock();
      changed.notify_one();
    }
    for (;;) {
      {
        std::shared_lock hold(lock);
        if (queue.empty()) break;
      }
      std::this_thread::sleep_for(1ms);
    }
    a.request_stop();
    a.join();
    assert(called == 1);
  }
  assert(consumed == 10);

  std::stop_source source;
  std::atomic<bool> seen = false;
  std::jthread c([&] {
    std::unique_lock hold(lock);
    seen = !changed.wait_for(hold, source.get_token(), 1h, [] { return false; });
  });
  source.request_stop();
  c.join();
  assert(seen && !source.request_stop());
}
