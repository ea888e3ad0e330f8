// expect: clean   Exceptions through locks, condition variables and futures; nested and rethrown in another thread.
#include <cassert>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
static std::mutex m;
static std::condition_variable c;
static bool set;
static int depth(int n) {
  std::lock_guard lock(m);
  if (n == 0) throw std::runtime_error("deep");
  m.unlock();
  int r;
  try {
    r = depth(n - 1);
  } catch (...) {
    m.lock();
    throw;
  }
  m.lock();
  return r;
}
int main() {
  auto f = std::async(std::launch::async, depth, 5);
  std::promise<int> p;
  std::thread t([&] {
    try {
      std::unique_lock lock(m);
      c.wait(lock, [] { if (set) throw 7; return false; });
    } catch (int) {
      p.set_exception(std::current_exception());
    }
  });
  int caught = 0;
  try { f.get(); } catch (const std::runtime_error&) { caught++; }
  { std::lock_guard lock(m); set = true; }
  c.notify_one();
  try { p.get_future().get(); } catch (int v) { caught += v; }
  t.join();
  assert(caught == 8);
}
