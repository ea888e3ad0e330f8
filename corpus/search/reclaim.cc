// expect: assertion
// Readers are counted, but a reader takes the pointer before it counts itself: the writer reuses what is still read.
#include <atomic>
#include "threads.h"
struct Block {
  std::atomic<int> value{1};
};
static Block blocks[2];
static std::atomic<Block*> current{&blocks[0]};
static std::atomic<int> readers{0};

static void* read(void* arg) {
  Block* b = current.load();
  readers.fetch_add(1);
  assert(b->value.load() != 0);  // FAILS
  readers.fetch_sub(1);
  return arg;
}
static void* replace(void* arg) {
  Block* old = current.exchange(&blocks[1]);
  for (int i = 0; readers.load() && i < 100; i++) sched_yield();
  if (!readers.load()) old->value.store(0);
  return arg;
}
int main() {
  start(read, nullptr);
  start(read, nullptr);
  start(replace, nullptr);
  start(read, nullptr);
  join_all();
}
