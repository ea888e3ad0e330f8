// expect: abort   A destructor of a thread_local gives up.
// alone: SIGABRT
#include <cstdlib>
#include <thread>
struct Local {
  int used = 0;
  ~Local() { std::abort(); }
};
static thread_local Local local;
int main() {
  std::thread t([] { local.used = 1; });
  t.join();
}
