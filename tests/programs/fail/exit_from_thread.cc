// expect: exit   exit(3) in a thread: handlers and destructors of statics run there.
#include <cstdlib>
#include <mutex>
#include <thread>
std::mutex m;
struct AtExit {
  ~AtExit() { std::lock_guard lock(m); }
} at_exit;
int main() {
  std::atexit([] { std::lock_guard lock(m); });
  std::thread t([] { std::exit(3); });
  t.join();
}
