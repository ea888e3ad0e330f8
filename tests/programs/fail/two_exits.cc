// expect: exit   Two threads leave at the same time with different statuses.
#include <cstdlib>
#include <thread>
int main() {
  std::thread a([] { std::exit(3); }), b([] { std::_Exit(3); });
  a.join();
  b.join();
}
