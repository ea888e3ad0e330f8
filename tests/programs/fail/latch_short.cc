// expect: deadlock   A C++20 latch that is never counted down to zero.
#include <latch>
#include <thread>
int main() {
  std::latch done(3);
  std::thread a([&] { done.count_down(); }), b([&] { done.count_down(); });
  done.wait();
  a.join();
  b.join();
}
