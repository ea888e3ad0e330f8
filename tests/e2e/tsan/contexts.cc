// Contexts that the program switches itself, told to ThreadSanitizer; one of them goes on in another thread.
#include <atomic>
#include <cassert>
#include <thread>
#include <ucontext.h>
extern "C" {
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void*);
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_set_fiber_name(void*, const char*);
}
static ucontext_t home[2], inside;
static void *home_fiber[2], *fiber;
static int where, steps;
static std::atomic<int> turn;

static void leave() {
  __tsan_switch_to_fiber(home_fiber[where], 0);
  swapcontext(&inside, &home[where]);
}
static void body() {
  for (;;) {
    steps++;
    leave();
  }
}
static void enter(int thread) {
  where = thread;
  home_fiber[thread] = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber, 0);
  swapcontext(&home[thread], &inside);
}
int main() {
  static char stack[1 << 16];
  getcontext(&inside);
  inside.uc_stack = {stack, 0, sizeof stack};
  makecontext(&inside, body, 0);
  fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "body");
  std::thread other([] {
    while (turn.load() != 1) std::this_thread::yield();
    enter(1);
    turn.store(2);
  });
  enter(0);
  turn.store(1);
  while (turn.load() != 2) std::this_thread::yield();
  enter(0);
  other.join();
  assert(steps == 3);
  __tsan_destroy_fiber(fiber);
}
