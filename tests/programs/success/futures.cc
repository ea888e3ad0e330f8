// expect: clean   async, packaged_task, promise, shared_future, deferred.
#include <cassert>
#include <future>
#include <thread>
int main() {
  auto a = std::async(std::launch::async, [] { return 1; });
  auto d = std::async(std::launch::deferred, [] { return 2; });
  std::packaged_task<int(int)> task([](int x) { return x + 1; });
  auto f = task.get_future();
  std::thread t(std::move(task), 2);
  std::promise<int> p;
  std::shared_future<int> s = p.get_future().share();
  std::thread x([s] { assert(s.get() == 4); }), y([s] { s.wait(); assert(s.get() == 4); });
  p.set_value(4);
  assert(a.get() + d.get() + f.get() == 6);
  t.join();
  x.detach();
  y.detach();
  pthread_exit(nullptr);
}
