// expect: clean
// std::async deferred and asynchronous, shared futures, packaged tasks through threads, promises of references and nothing.
#include <cassert>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>
using namespace std::chrono_literals;

int main() {
  int calls = 0;
  auto lazy = std::async(std::launch::deferred, [&] { return ++calls; });
  assert(lazy.wait_for(0s) == std::future_status::deferred);
  std::thread elsewhere([&] { assert(lazy.get() == 1); });
  elsewhere.join();
  auto eager = std::async(std::launch::async, [](std::vector<int> v) { return v.size(); }, std::vector<int>(5));
  auto either = std::async([] { return 7; });
  while (eager.wait_for(1ms) != std::future_status::ready) {
  }
  assert(eager.get() == 5 && either.get() == 7);

  std::promise<int> promise;
  std::shared_future<int> shared = promise.get_future().share();
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; i++) readers.emplace_back([shared] { assert(shared.get() == 42); });
  promise.set_value(42);
  for (auto& t : readers) t.join();

  std::packaged_task<int(int)> task([](int x) {
    if (x > 1) throw std::runtime_error("large");
    return x;
  });
  auto one = task.get_future();
  std::thread runs(std::ref(task), 1);
  assert(one.get() == 1);
  runs.join();
  task.reset();
  auto two = task.get_future();
  std::thread throws(std::move(task), 2);
  try {
    two.get();
    return 1;
  } catch (const std::runtime_error&) {
  }
  throws.join();

  std::future<void> broken;
  {
    std::promise<void> gone;
    broken = gone.get_future();
  }
  try {
    broken.get();
    return 1;
  } catch (const std::future_error& e) {
    assert(e.code() == std::future_errc::broken_promise);
  }
  int object = 3;
  std::promise<int&> reference;
  auto there = reference.get_future();
  std::thread sets([&] { reference.set_value(object); });
  there.get() = 4;
  sets.join();
  assert(object == 4);
  { auto dropped = std::async(std::launch::async, [&] { object = 5; }); }  // its destructor waits
  assert(object == 5);
}
