// expect: exception   Uncaught in a noexcept function of main, an int.
// alone: SIGABRT
#include <thread>
static void quiet() noexcept { throw 42; }
int main() {
  std::thread t([] {});
  t.join();
  quiet();
}
