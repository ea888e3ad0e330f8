// expect: exception   Uncaught in a thread.
// alone: SIGABRT
#include <stdexcept>
#include <thread>
int main() {
  std::thread t([] { throw std::out_of_range("too far"); });
  t.join();
}
