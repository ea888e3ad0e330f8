// Deduplication in a pipeline: one thread cuts the stream into chunks, anchors hash them, a second stage looks them up,
// new chunks are packed, and the sender puts everything together in order. A chunk that was seen before needs no
// packing and goes straight to the sender, who takes it for granted that the first one of its kind has been packed by
// then.
//
// parameters: threads-per-stage chunks
#include <assert.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../kernel.h"

namespace {
struct Packed {
  std::string text;
};

struct Entry {  // one per distinct content
  std::mutex lock;
  std::condition_variable packed_now;
  Packed* packed = nullptr;
};

struct Chunk {
  int number = 0;
  std::string content;
  size_t hash = 0;
  Entry* entry = nullptr;
};

template <class T>
class Queue {
 public:
  explicit Queue(int producers) : producers_(producers) {}

  void put(T item) {
    std::lock_guard held(lock_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }

  bool take(T& item) {
    std::unique_lock held(lock_);
    changed_.wait(held, [&] { return !items_.empty() || producers_ == 0; });
    if (items_.empty()) return false;
    item = std::move(items_.front());
    items_.pop_front();
    return true;
  }

  void producer_ends() {
    std::lock_guard held(lock_);
    if (--producers_ == 0) changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<T> items_;
  int producers_;
};

struct Pipeline {
  explicit Pipeline(int n) : cut(1), hashed(n), fresh(n), done(2 * n) {}
  Queue<Chunk> cut, hashed, fresh, done;
  std::mutex table_lock;
  std::map<size_t, Entry> table;
};

std::vector<std::string> stream;
std::string received;

void fragment(Pipeline& p) {
  for (size_t i = 0; i < stream.size(); i++) p.cut.put(Chunk{static_cast<int>(i), stream[i], 0, nullptr});
  p.cut.producer_ends();
}

void anchor(Pipeline& p) {
  for (Chunk c; p.cut.take(c);) {
    for (char letter : c.content) c.hash = c.hash * 31 + static_cast<unsigned char>(letter);
    p.hashed.put(c);
  }
  p.hashed.producer_ends();
}

void look_up(Pipeline& p) {
  for (Chunk c; p.hashed.take(c);) {
    bool is_new;
    {
      std::lock_guard held(p.table_lock);
      is_new = !p.table.contains(c.hash);
      c.entry = &p.table[c.hash];
    }
    (is_new ? p.fresh : p.done).put(c);  // BUG:shortcut
  }
  p.fresh.producer_ends();
  p.done.producer_ends();
}

void pack(Pipeline& p) {
  for (Chunk c; p.fresh.take(c);) {
    auto* packed = new Packed;
    for (char letter : c.content) packed->text += static_cast<char>(letter ^ 0x20);
    {
      std::lock_guard held(c.entry->lock);
      c.entry->packed = packed;  // BUG:packed
      c.entry->packed_now.notify_all();
    }
    p.done.put(c);
  }
  p.done.producer_ends();
}

const Packed* packed_of(Entry& entry) {
  std::unique_lock held(entry.lock);
#ifdef FIXED
  entry.packed_now.wait(held, [&] { return entry.packed != nullptr; });
#endif
  return entry.packed;  // BUG:use
}

void send(Pipeline& p) {
  std::map<int, Entry*> early;
  int next = 0;
  for (Chunk c; p.done.take(c);) {
    early[c.number] = c.entry;
    for (; early.contains(next); next++)
      for (char letter : packed_of(*early[next])->text) received += static_cast<char>(letter ^ 0x20);  // FAILS
  }
}
}  // namespace

int main(int argc, char** argv) {
  int n = parameter(argc, argv, 1, 3), chunks = parameter(argc, argv, 2, 4);
  uint32_t random = 362436069u;
  for (int i = 0; i < chunks; i++)  // every second chunk repeats an earlier one
    stream.push_back(i % 2 ? stream[next_random(&random) % i]
                           : std::string(8, static_cast<char>('a' + i % 26)) + std::to_string(i));
  Pipeline p(n);
  std::vector<std::thread> threads;
  threads.emplace_back(fragment, std::ref(p));
  for (auto stage : {anchor, look_up, pack})
    for (int i = 0; i < n; i++) threads.emplace_back(stage, std::ref(p));
  threads.emplace_back(send, std::ref(p));
  for (std::thread& t : threads) t.join();
  std::string whole;
  for (const std::string& s : stream) whole += s;
  assert(received == whole);
  return 0;
}
