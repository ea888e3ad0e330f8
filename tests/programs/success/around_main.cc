// expect: clean   Threads before main, in atexit handlers and in destructors of statics.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
static std::mutex m;
static int n;
static void add() {
  std::lock_guard lock(m);
  n++;
}
struct Around {
  Around() { std::thread(add).join(); }
  ~Around() {
    std::thread(add).join();
    if (n != 5) std::abort();
  }
} around;
__attribute__((constructor)) static void early() { std::thread([] {}).join(); }
int main() {
  std::atexit([] { std::thread(add).join(); });
  std::thread a(add), b(add);
  a.join();
  b.join();
}
