// expect: clean   The exception's count of references lives inside libstdc++: dropping it is no race.
#include <future>
#include <memory>
#include <thread>
int main() {
  auto task = std::make_shared<std::packaged_task<int()>>([]() -> int { throw 5; });
  auto future = task->get_future();
  std::thread t([task = std::move(task)] { (*task)(); });
  try {
    future.get();
  } catch (int& i) {
    if (i != 5) return 1;
  }
  future = {};
  t.join();
}
