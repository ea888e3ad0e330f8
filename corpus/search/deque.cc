// expect: assertion
// CHESS's work-stealing queue: the owner takes the last task without competing for it.
#include <atomic>
#include "threads.h"
enum { kTasks = 4 };
static std::atomic<long> head{0}, tail{0};
static std::atomic<int> tasks[8];
static std::atomic<int> done[kTasks];

static void run_task(int task) {
  assert(done[task].fetch_add(1) == 0);  // FAILS
}
static void push(int task) {
  long t = tail.load();
  tasks[t % 8].store(task);
  tail.store(t + 1);
}
static bool pop(int* task) {
  long t = tail.load() - 1;
  tail.store(t);
  long h = head.load();
  if (t < h) {
    tail.store(h);
    return false;
  }
  *task = tasks[t % 8].load();  // t == h: a thief may have read the same
  return true;
}
static bool steal(int* task) {
  long h = head.load(), t = tail.load();
  if (h >= t) return false;
  *task = tasks[h % 8].load();
  return head.compare_exchange_strong(h, h + 1);
}
static void* own(void* arg) {
  int task;
  for (int i = 0; i < kTasks; i++) push(i);
  while (pop(&task)) run_task(task);
  return arg;
}
static void* thieve(void* arg) {
  int task;
  for (int i = 0; i < 2; i++)
    if (steal(&task)) run_task(task);
  return arg;
}
int main() {
  start(own, nullptr);
  start(thieve, nullptr);
  join_all();
}
