// expect: assertion
// An ordered lock-free list whose removal does not mark the node first: an insertion behind it is lost.
#include <atomic>
#include "threads.h"
struct Node {
  int key;
  std::atomic<Node*> next{nullptr};
};
static Node head{0}, two{2}, four{4}, three{3};
static std::atomic<bool> inserted{false};

static void* insert(void* arg) {
  Node* before = &head;
  Node* after = before->next.load();
  while (after && after->key < three.key) before = after, after = before->next.load();
  three.next.store(after);
  if (before->next.compare_exchange_strong(after, &three)) inserted.store(true);
  return arg;
}
static void* remove_two(void* arg) {
  Node* behind = two.next.load();
  Node* expected = &two;
  head.next.compare_exchange_strong(expected, behind);
  return arg;
}
int main() {
  head.next.store(&two), two.next.store(&four);
  start(insert, nullptr);
  start(remove_two, nullptr);
  join_all();
  bool found = false;
  for (Node* n = head.next.load(); n; n = n->next.load()) found |= n == &three;
  assert(!inserted.load() || found);  // FAILS
}
