// expect: exit   Clock, random bytes, pid and addresses decide how it ends: all of them come back in a replay.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <sys/random.h>
#include <thread>
#include <unistd.h>
int main() {
  std::uint64_t n = 0;
  std::thread t([&] { getrandom(&n, sizeof n, 0); });
  t.join();
  std::random_device device;
  n = n * 31 + device();
  n = n * 31 + (std::uint64_t)std::chrono::system_clock::now().time_since_epoch().count();
  n = n * 31 + (std::uint64_t)getpid();
  n = n * 31 + (std::uint64_t)(std::uintptr_t)std::malloc(10);
  return (int)(n % 200 + 1);
}
