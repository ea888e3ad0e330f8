// STOCK in stock and two buyers; without FIXED whether there is one and taking it are two critical sections.
#include <heddle/check.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

static std::mutex m;
static int stock;

static void buy() {
  std::unique_lock lock(m);
  const bool there = stock > 0;
#ifndef FIXED
  lock.unlock();
  lock.lock();
#endif
  if (there) stock--;
  heddle_check(stock >= 0);
}

int main(int argc, char** argv) {
  if (argc != 3 || std::strchr(argv[2], ' ') == nullptr) return argc == 3 && *argv[2] == 'x' ? 0 : 2;
  stock = std::atoi(argv[1]);
  std::thread a(buy), b(buy);
  a.join();
  b.join();
  return 0;
}
