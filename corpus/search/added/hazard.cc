// expect: assertion
// Hazard pointers: nodes are reused two at a time when no reader names them, and a reader takes its name away before its last use.
#include <atomic>
#include "../threads.h"
enum { kNodes = 3, kReaders = 2, kUpdates = 4 };
static struct {
  std::atomic<int> first{0}, second{0};
} nodes[kNodes];
static std::atomic<int> current{0}, hazard[kReaders];

static bool named(int node) {
  for (auto& h : hazard)
    if (h.load() == node) return true;
  return false;
}
static void* update(void* arg) {
  int retired[kUpdates], count = 0, spare[kNodes] = {1, 2}, spares = 2;
  for (int i = 1; i <= kUpdates && spares; i++) {
    int node = spare[--spares];
    nodes[node].first.store(i);
    nodes[node].second.store(i);
    retired[count++] = current.exchange(node);
    if (count < 2) continue;
    int kept = 0;
    for (int k = 0; k < count; k++) named(retired[k]) ? retired[kept++] = retired[k] : spare[spares++] = retired[k];
    count = kept;
  }
  return arg;
}
static void* read_both(void* arg) {
  std::atomic<int>& mine = hazard[(long)arg];
  int node = current.load();
  mine.store(node);
  if (current.load() != node) return arg;
  int first = nodes[node].first.load();
  mine.store(-1);
  assert(nodes[node].second.load() == first);  // FAILS
  return arg;
}
int main() {
  for (auto& h : hazard) h.store(-1);
  for (long i = 0; i < kReaders; i++) start(read_both, (void*)i);
  start(update, nullptr);
  join_all();
}
