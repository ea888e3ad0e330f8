// expect: assertion
// A linked queue with compare-and-exchange at both ends; the consumer reads the value after it has moved the head on.
#include <atomic>
#include "threads.h"
enum { kNodes = 5 };
struct Node {
  std::atomic<int> value{0};
  std::atomic<Node*> next{nullptr};
};
static Node nodes[kNodes];
static std::atomic<Node*> head{&nodes[0]}, tail{&nodes[0]};
static std::atomic<Node*> spare{nullptr};

static void enqueue(Node* node, int value) {
  node->value.store(value);
  node->next.store(nullptr);
  for (;;) {
    Node* last = tail.load();
    Node* none = nullptr;
    if (last->next.compare_exchange_strong(none, node)) {
      tail.compare_exchange_strong(last, node);
      return;
    }
    tail.compare_exchange_strong(last, none);
  }
}
static void* produce(void* arg) {
  enqueue(&nodes[1], 1);
  enqueue(&nodes[2], 2);
  Node* reused = spare.exchange(nullptr);
  enqueue(reused ? reused : &nodes[3], 100);
  return arg;
}
static void* consume(void* arg) {
  Node* first = head.load();
  Node* next = first->next.load();
  if (!next || !head.compare_exchange_strong(first, next)) return arg;
  spare.store(first);
  assert(next->value.load() < 100);  // FAILS: the other consumer was done with the node, and it was used again
  return arg;
}
int main() {
  start(produce, nullptr);
  start(consume, nullptr);
  start(consume, nullptr);
  join_all();
}
