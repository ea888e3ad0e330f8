// expect: clean   C++20 coroutines that move between threads.
#include <cassert>
#include <coroutine>
#include <mutex>
#include <thread>
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
};
static std::mutex m;
static int n;
static Task steps() {
  for (int i = 0; i < 3; i++) {
    { std::lock_guard lock(m); n++; }
    co_await std::suspend_always{};
  }
  throw 5;
}
int main() {
  Task t = steps();
  int caught = 0;
  for (int i = 0; i < 4; i++)
    std::thread([&] {
      try { t.handle.resume(); } catch (int v) { caught = v; }
    }).join();
  assert(n == 3 && caught == 5);
  t.handle.destroy();
}
