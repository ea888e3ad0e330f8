// expect: assertion
// A sequence lock whose writers do not exclude each other: while both write the number is even again. A reader accepts what it saw
// only with a checksum, which is written last.
#include <atomic>
#include "../threads.h"
static std::atomic<int> number{0}, low{0}, high{0}, sum{0};

static void* write_all(void* arg) {
  int value = (int)(long)arg;
  number.fetch_add(1);
  low.store(value);
  high.store(2 * value);
  sum.store(3 * value);
  number.fetch_add(1);
  return arg;
}
static void* read_all(void* arg) {
  int before = number.load();
  if (before % 2) return arg;
  int a = low.load(), b = high.load(), c = sum.load();
  if (number.load() == before && a + b == c) assert(2 * a == b);  // FAILS
  return arg;
}
int main() {
  start(write_all, (void*)2);
  start(write_all, (void*)6);
  start(read_all, nullptr);
  join_all();
}
