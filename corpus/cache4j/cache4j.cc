// A cache with a time to live: workers put and get, and the cleaner interrupts a worker that works on an entry for too
// long. An interrupted worker throws at its next checkpoint. Whether it is where that is caught is asked first, and the
// interrupt is sent afterwards.
//
// parameters: workers rounds
#include <assert.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "../kernel.h"

namespace {
struct Interrupted {};

struct Worker {
  std::mutex lock;
  bool in_try_block = false;
  std::atomic<bool> interrupted = false;
  int finished = 0, given_up = 0;
};

class Cache {
 public:
  void put(int key, int value) {
    std::lock_guard held(lock_);
    values_[key] = value;
    if (values_.size() > kMost) values_.erase(values_.begin());
  }

  int get(int key, int otherwise) {
    std::lock_guard held(lock_);
    auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }

 private:
  static constexpr size_t kMost = 8;
  std::mutex lock_;
  std::map<int, int> values_;
};

Cache cache;
int rounds;

// Every blocking operation is one.
void checkpoint(Worker& w) {
  if (w.interrupted.exchange(false)) throw Interrupted();  // FAILS
}

void set_in_try_block(Worker& w, bool value) {
  std::lock_guard held(w.lock);
  w.in_try_block = value;  // BUG:flag
#ifdef FIXED
  if (!value) w.interrupted = false;
#endif
}

void update(Worker& w, int key) {
  try {
    set_in_try_block(w, true);
    cache.put(key, key * key);
    checkpoint(w);
    assert(cache.get(key, key * key) == key * key);
    set_in_try_block(w, false);
    w.finished++;
  } catch (const Interrupted&) {
    set_in_try_block(w, false);
    w.given_up++;
  }
  checkpoint(w);  // BUG:outside
}

void work(Worker& w) {
  for (int i = 0; i < rounds; i++) update(w, i);
}

bool is_in_try_block(Worker& w) {
  std::lock_guard held(w.lock);
  return w.in_try_block;  // BUG:check
}

void interrupt(Worker& w) {
#ifdef FIXED
  std::lock_guard held(w.lock);
  if (w.in_try_block) w.interrupted = true;
#else
  if (is_in_try_block(w)) w.interrupted = true;  // BUG:interrupt
#endif
}
}  // namespace

int main(int argc, char** argv) {
  int count = parameter(argc, argv, 1, 2);
  rounds = parameter(argc, argv, 2, 2);
  std::vector<Worker> workers(count);
  std::vector<std::thread> threads;
  for (Worker& w : workers) threads.emplace_back(work, std::ref(w));
  threads.emplace_back([&] {
    for (Worker& w : workers) interrupt(w);
  });
  for (std::thread& t : threads) t.join();
  for (const Worker& w : workers) assert(w.finished + w.given_up == rounds);
  return 0;
}
