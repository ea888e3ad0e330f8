// Coroutines are cloned before they are split; symmetric transfer still needs no stack.
// RUN: %c++ -std=c++20 -g -O0 -DN=10 %s -o %t.0 && %t.0 2>&1 | FileCheck %s && %off %t.0 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %c++ -std=c++20 -g -O2 -DN=1000000 %s -o %t.2 && %count %t.2 2>&1 | FileCheck %s --check-prefix=OFF && %off %t.2 2>&1 | FileCheck %s --check-prefix=OFF
// CHECK: hook {{.*}} _Z4leafv [total]
// CHECK: total
// OFF: total {{[1-9]}}
#include <coroutine>
#include <cstdio>
struct Task {
  struct promise_type {
    std::coroutine_handle<> next;
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().next; }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  ~Task() { handle.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) { handle.promise().next = h; return handle; }
  void await_resume() {}
};
long total;
Task leaf() { ++total; co_return; }
Task root() { for (int i = 0; i < N; ++i) co_await leaf(); }
int main() {
  Task t = root();
  t.handle.promise().next = std::noop_coroutine();
  t.handle.resume();
  std::fprintf(stderr, "total %ld\n", total);
}
