// expect: clean
// runs: 300
// What becomes ready at the end of a thread does so inside libstdc++.so, where no hook is.
#include <cassert>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::promise<std::vector<int>> promise;
  auto future = promise.get_future();
  std::thread one([p = std::move(promise)]() mutable { p.set_value_at_thread_exit({1, 2, 3}); });
  auto values = future.get();
  assert(values.size() == 3);
  one.join();

  std::packaged_task<int()> task([] { return 3; });
  auto answer = task.get_future();
  std::thread two([&] { task.make_ready_at_thread_exit(); });
  assert(answer.get() == 3);
  two.join();

  std::promise<int> broken;
  auto error = broken.get_future();
  std::thread three([&] { broken.set_exception_at_thread_exit(std::make_exception_ptr(7)); });
  try {
    error.get();
    return 1;
  } catch (int e) {
    assert(e == 7);
  }
  three.join();

  std::promise<int> forgotten;  // its future is gone before the thread ends
  { auto nobody = forgotten.get_future(); }
  std::thread four([p = std::move(forgotten)]() mutable { p.set_value_at_thread_exit(4); });
  four.join();

  std::mutex mutex;
  std::condition_variable done;
  int state = 0;
  std::thread five([&] {
    std::unique_lock lock(mutex);
    state = 1;
    std::notify_all_at_thread_exit(done, std::move(lock));
  });
  {
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return state == 1; });
  }
  five.join();
}
