// expect: exception   A second exception while the first one unwinds.
// alone: SIGABRT
#include <stdexcept>
#include <thread>
struct Guard {
  ~Guard() noexcept(false) { throw std::runtime_error("second"); }
};
int main() {
  std::thread t([] {
    try {
      Guard g;
      throw 1;
    } catch (...) {
    }
  });
  t.join();
}
