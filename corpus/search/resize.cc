// expect: assertion
// A work-stealing array that the owner replaces by a larger one: a thief that has read the old one stores into it.
#include <atomic>
#include "threads.h"
struct Array {
  std::atomic<int> slots[4];
};
static Array small, large;
static std::atomic<Array*> current{&small};
static std::atomic<int> used{0};

static void* append(void* arg) {
  for (int i = 0; i < 2; i++) {
    int at = used.fetch_add(1);
    current.load()->slots[at & 3].store((int)(long)arg);
  }
  return nullptr;
}
static void* grow(void* arg) {
  for (int i = 0; i < 4; i++) large.slots[i].store(small.slots[i].load());
  current.store(&large);
  return arg;
}
int main() {
  start(append, (void*)1);
  start(append, (void*)2);
  start(grow, nullptr);
  join_all();
  for (int i = 0; i < 4; i++) assert(current.load()->slots[i].load());  // FAILS
}
