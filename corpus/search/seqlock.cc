// expect: assertion
// A sequence lock whose reader compares the numbers, but takes an odd one for a valid one.
#include <atomic>
#include "threads.h"
static std::atomic<unsigned> sequence{0};
static std::atomic<int> low{0}, high{0};

static void* write(void* arg) {
  for (int i = 1; i <= 2; i++) {
    sequence.fetch_add(1);
    low.store(i);
    high.store(i);
    sequence.fetch_add(1);
  }
  return arg;
}
static void* read(void* arg) {
  for (int i = 0; i < 3; i++) {
    unsigned before = sequence.load();
    int l = low.load(), h = high.load();
    if (sequence.load() == before) assert(l == h);  // FAILS
  }
  return arg;
}
int main() {
  start(write, nullptr);
  start(read, nullptr);
  join_all();
}
