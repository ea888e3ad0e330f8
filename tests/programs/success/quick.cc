// expect: clean   quick_exit runs its handlers in a thread while another one waits for ever.
#include <cstdlib>
#include <mutex>
#include <thread>
static std::mutex m, other;
int main() {
  m.lock();
  std::at_quick_exit([] { std::lock_guard lock(other); });
  std::thread([] { m.lock(); }).detach();
  std::thread quits([] { std::quick_exit(0); });
  quits.join();
  return 1;
}
