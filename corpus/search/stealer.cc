// expect: assertion
// CHESS's IWSQ: the thief's and the owner's ends in one word each; the thief returns what it read before it owned it.
#include <atomic>
#include "threads.h"
enum { kTasks = 3 };
static std::atomic<int> head{0}, tail{0}, tasks[4], done[kTasks + 1];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void put(int task) {
  int t = tail.load();
  tasks[t & 3].store(task);
  tail.store(t + 1);
}
static int take() {
  int t = tail.fetch_sub(1) - 1;
  if (head.load() <= t) return tasks[t & 3].load();
  tail.store(t + 1);
  LOCK(m);
  int task = 0;
  if (head.load() <= t) {
    tail.store(t);
    task = tasks[t & 3].load();
  }
  UNLOCK(m);
  return task;
}
static int steal() {
  LOCK(m);
  int h = head.load(), task = 0;
  if (h < tail.load()) {  // must raise head first and look then
    task = tasks[h & 3].load();
    head.store(h + 1);
  }
  UNLOCK(m);
  return task;
}
static void execute(int task) {
  if (task) assert(done[task].fetch_add(1) == 0);  // FAILS
}
static void* own(void* arg) {
  put(1), put(2);
  execute(take());
  put(3);
  execute(take());
  execute(take());
  return arg;
}
static void* thieve(void* arg) {
  execute(steal());
  execute(steal());
  return arg;
}
int main() {
  start(own, nullptr);
  start(thieve, nullptr);
  join_all();
}
