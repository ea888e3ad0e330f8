// expect: assertion   A lost update that only some random numbers lead to.
// runs: 500
#include <cassert>
#include <cstdio>
#include <random>
#include <sys/random.h>
#include <thread>
static int counter;
static void add() { counter++; }
int main() {
  std::random_device device;
  unsigned bytes = 0;
  if (getrandom(&bytes, sizeof bytes, 0) != sizeof bytes) return 0;
  FILE* file = std::fopen("/dev/urandom", "rb");
  unsigned more = 0;
  if (!file || std::fread(&more, sizeof more, 1, file) != 1) return 0;
  std::fclose(file);
  if ((device() ^ bytes ^ more) % 8 != 3) return 0;
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(counter == 2);
  return 0;
}
