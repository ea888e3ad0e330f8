// expect: assertion
// A lock-free stack without tags and three threads: who pops, who takes two and gives one away, who puts that one back.
#include <atomic>
#include "../threads.h"
enum { kNodes = 4, kNil = -1 };
static std::atomic<int> top{0}, next_of[kNodes], owned[kNodes], given{kNil};

static int pop() {
  int node = top.load();
  while (node != kNil && !top.compare_exchange_strong(node, next_of[node].load())) {
  }
  if (node != kNil) assert(owned[node].exchange(1) == 0);  // FAILS
  return node;
}
static void push(int node) {
  owned[node].store(0);
  int old = top.load();
  do next_of[node].store(old);
  while (!top.compare_exchange_strong(old, node));
}
static void* pop_twice(void* arg) {
  pop();
  pop();
  return arg;
}
static void* give_one(void* arg) {
  int first = pop();
  pop();
  given.store(first);
  return arg;
}
static void* put_back(void* arg) {
  if (int node = given.exchange(kNil); node != kNil) push(node);
  return arg;
}
int main() {
  for (int i = 0; i < kNodes; i++) next_of[i].store(i + 1 < kNodes ? i + 1 : kNil);
  start(pop_twice, nullptr);
  start(give_one, nullptr);
  start(put_back, nullptr);
  join_all();
}
