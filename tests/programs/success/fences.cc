// expect: clean
// Dekker and Peterson with seq_cst fences, a seqlock, message passing by fences, hazard pointers, RCU by epochs.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <vector>
using std::memory_order_relaxed, std::memory_order_acquire, std::memory_order_release, std::memory_order_seq_cst;

std::atomic<bool> want[2];
std::atomic<int> turn;
int critical;
void peterson(int me) {
  for (int i = 0; i < 2; i++) {
    want[me].store(true, memory_order_relaxed);
    turn.store(1 - me, memory_order_release);
    std::atomic_thread_fence(memory_order_seq_cst);
    while (want[1 - me].load(memory_order_acquire) && turn.load(memory_order_acquire) == 1 - me) std::this_thread::yield();
    std::atomic_thread_fence(memory_order_seq_cst);
    critical++;
    want[me].store(false, memory_order_release);
  }
}
std::atomic<unsigned> sequence;
std::atomic<int> left, right;
void seq_write() {
  for (int i = 1; i < 4; i++) {
    unsigned s = sequence.load(memory_order_relaxed);
    sequence.store(s + 1, memory_order_relaxed);
    std::atomic_thread_fence(memory_order_release);
    left.store(i, memory_order_relaxed);
    right.store(-i, memory_order_relaxed);
    sequence.store(s + 2, memory_order_release);
  }
}
void seq_read() {
  for (int i = 0; i < 3; i++) {
    unsigned before, after;
    int l, r;
    do {
      before = sequence.load(memory_order_acquire);
      l = left.load(memory_order_relaxed);
      r = right.load(memory_order_relaxed);
      std::atomic_thread_fence(memory_order_acquire);
      after = sequence.load(memory_order_relaxed);
    } while (before != after || before % 2);
    assert(l + r == 0);
  }
}
int message;
std::atomic<bool> sent;
struct Node {
  int value;
  bool alive = true;
  ~Node() { alive = false; }
};
std::atomic<Node*> head{new Node{1}};
std::atomic<Node*> hazard;
void hazard_reader() {
  for (int i = 0; i < 3; i++) {
    Node* n;
    do {
      n = head.load();
      hazard.store(n);
    } while (head.load() != n);
    assert(n->alive && n->value > 0);
    hazard.store(nullptr, memory_order_release);
  }
}
void hazard_writer() {
  for (int i = 2; i < 4; i++) {
    Node* old = head.exchange(new Node{i});
    while (hazard.load() == old) std::this_thread::yield();
    delete old;
  }
}
std::atomic<int> readers_of[2];
std::atomic<unsigned> epoch;
std::atomic<Node*> rcu{new Node{10}};
void rcu_reader() {
  for (int i = 0; i < 3; i++) {
    unsigned e;
    for (;;) {
      e = epoch.load();
      readers_of[e & 1].fetch_add(1);
      if (epoch.load() == e) break;
      readers_of[e & 1].fetch_sub(1);
    }
    Node* n = rcu.load(memory_order_acquire);
    assert(n->alive && n->value >= 10);
    readers_of[e & 1].fetch_sub(1, memory_order_release);
  }
}
void rcu_writer() {
  Node* old = rcu.exchange(new Node{11});
  unsigned e = epoch.fetch_add(1);
  while (readers_of[e & 1].load(memory_order_acquire)) std::this_thread::yield();
  delete old;
}
int main() {
  std::vector<std::jthread> t;
  t.emplace_back(peterson, 0);
  t.emplace_back(peterson, 1);
  t.emplace_back(seq_write);
  t.emplace_back(seq_read);
  t.emplace_back(hazard_reader);
  t.emplace_back(hazard_writer);
  t.emplace_back(rcu_reader);
  t.emplace_back(rcu_writer);
  t.emplace_back([] {
    message = 5;
    std::atomic_thread_fence(memory_order_release);
    sent.store(true, memory_order_relaxed);
  });
  while (!sent.load(memory_order_relaxed)) std::this_thread::yield();
  std::atomic_thread_fence(memory_order_acquire);
  assert(message == 5);
  t.clear();
  assert(critical == 4);
  delete head.load();
  delete rcu.load();
}
