// expect: clean
// cflags: -std=c++20
// Each primitive of C++ alone orders a plain variable: no join, lock or atomic beside it.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

// `first` runs in another thread; `then` has to wait for it by itself.
template <class First, class Then>
static void ordered(First first, Then then) {
  std::thread t(first);
  then();
  t.join();
}

static void waiting() {
  int x = 0;
  std::latch latch(1);
  ordered([&] { x = 1, latch.count_down(); }, [&] { latch.wait(), x++; });
  std::barrier barrier(2);
  ordered([&] { x++, barrier.arrive_and_wait(); }, [&] { barrier.arrive_and_wait(), x++; });
  std::counting_semaphore<4> semaphore(0);
  ordered([&] { x++, semaphore.release(); }, [&] { semaphore.acquire(), x++; });
  ordered([&] { x++, semaphore.release(); }, [&] {
    while (!semaphore.try_acquire()) std::this_thread::yield();
    x++;
  });
  std::atomic<int> word = 0;
  ordered([&] { x++, word = 1, word.notify_one(); }, [&] { word.wait(0), x++; });
  std::atomic_flag flag;
  ordered([&] { x++, flag.test_and_set(), flag.notify_all(); }, [&] { flag.wait(false), x++; });
}

static void stopping() {
  int x = 0;
  std::stop_source source;
  ordered(
      [&] {
        while (!source.stop_requested()) std::this_thread::yield();
        x++;
      },
      [&] { x = 1, source.request_stop(); });
  int y = 0;
  std::stop_source called;
  std::thread t([&] { std::stop_callback callback(called.get_token(), [&] { y++; }); });
  called.request_stop();
  t.join();
  y++;
}

static void futures() {
  int x = 0;
  std::promise<void> promise;
  ordered([&] { x = 1, promise.set_value(); }, [&] { promise.get_future().wait(), x++; });
  std::async(std::launch::async, [&] { x++; }).get();
  x++;
  std::packaged_task<void()> task([&] { x++; });
  auto done = task.get_future();
  ordered([&] { task(); }, [&] {
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    }
    x++;
  });
  std::promise<int> failing;
  auto shared = failing.get_future().share();
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; i++) {
    readers.emplace_back([shared] {
      try {
        shared.get();
      } catch (const std::runtime_error& e) {
        (void)e.what();
      }
    });
  }
  failing.set_exception(std::make_exception_ptr(std::runtime_error("x")));
  for (auto& t : readers) t.join();
}

struct Box {
  int value = 0;
};
static void pointers() {
  auto shared = std::make_shared<Box>();
  std::vector<std::thread> owners;
  for (int i = 0; i < 2; i++) owners.emplace_back([shared] { (void)shared->value; });
  shared.reset();
  for (auto& t : owners) t.join();

  // Not std::atomic<std::shared_ptr>: load() of libstdc++ 12 gives its lock back with a relaxed operation, so that its read of the
  // pointer is not ordered before a later store() (a data race indeed, seen with objects of -fsanitize=thread).
  std::shared_ptr<Box> old_slot, seen;
  ordered([&] { std::atomic_store(&old_slot, std::make_shared<Box>()); }, [&] {
    while (!(seen = std::atomic_load(&old_slot))) std::this_thread::yield();
    seen->value++;
  });
}

static void initialising() {
  static std::once_flag once;
  static int x;
  auto use = [] {
    std::call_once(once, [] { x = 1; });
    return x;
  };
  ordered(use, use);
  struct Static {
    int value = 4;
  };
  auto use_static = [] {
    static Static s;
    return s.value;
  };
  ordered(use_static, use_static);
}

static void locking() {
  int x = 0;
  bool go = false;
  std::mutex m;
  std::condition_variable_any any;
  ordered(
      [&] {
        x = 1;
        std::lock_guard l(m);
        go = true;
        any.notify_one();
      },
      [&] {
        std::unique_lock l(m);
        while (!any.wait_for(l, std::chrono::milliseconds(1), [&] { return go; })) {
        }
        x++;
      });
  std::stop_source source;
  ordered(
      [&] {
        std::unique_lock l(m);
        any.wait(l, source.get_token(), [] { return false; });
        x++;
      },
      [&] { x++, source.request_stop(); });
  std::shared_timed_mutex both;
  ordered(
      [&] {
        std::unique_lock l(both);
        x++;
      },
      [&] {
        while (!both.try_lock_for(std::chrono::milliseconds(1))) {
        }
        x++;
        both.unlock();
      });
}

int main() {
  waiting();
  stopping();
  futures();
  pointers();
  initialising();
  locking();
}
