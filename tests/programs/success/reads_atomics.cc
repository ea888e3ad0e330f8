// expect: clean   Walking through memory by atomic loads, or looking at a flag in each round of a computation, is no livelock.
// runs: 3
// laws: none, each run has a million steps
// tsan: none, no hooks on branches: that it computes is not known
#include <atomic>
#include <memory>
#include <thread>

struct Node {
  std::atomic<Node*> next{nullptr};
};
static std::atomic<bool> stop{false};
static Node nodes[500];

int main() {
  for (int i = 0; i + 1 < 500; i++) nodes[i].next = &nodes[i + 1];
  long found = 0;
  std::thread reader([&] {
    for (int round = 0; round < 800; round++)
      for (Node* n = nodes; n; n = n->next.load(std::memory_order_acquire)) found++;
  });
  reader.join();
  long sum = 0;
  for (long i = 0; i < 500000; i++) {
    if (stop.load(std::memory_order_relaxed)) break;
    sum += i;
  }
  return found != 400000 || sum == 0;
}
