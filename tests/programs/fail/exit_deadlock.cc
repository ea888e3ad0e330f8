// expect: deadlock   A destructor of a static waits for a lock that nobody gives back.
#include <mutex>
#include <thread>
static std::mutex m;
struct AtExit {
  ~AtExit() { m.lock(); }
} at_exit;
int main() {
  std::thread t([] { m.lock(); });
  t.join();
}
