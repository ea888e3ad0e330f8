// A scripted execution that is told to the detector and, at the same time, to an oracle that knows nothing of epochs:
// it keeps all events, the edges of happens-before between them and their transitive closure, and compares all pairs of
// accesses.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/detector/detector.h"
#include "runtime/detector/epoch.h"

namespace heddle::rt::detector {

using Pair = std::pair<int, int>;  // events: first, second

class World {
 public:
  explicit World(uint32_t detail = 0);
  ~World();

  // What happens. Each returns the number of its event. Thread 0 exists.
  int read(int thread, uintptr_t address, uint32_t size);
  int write(int thread, uintptr_t address, uint32_t size);
  int range(int thread, uintptr_t address, size_t length, bool is_write);
  int atomic(int thread, uintptr_t address, uint32_t size, uint32_t kind, int order, bool success = true);
  int load(int thread, uintptr_t a, int order) { return atomic(thread, a, 4, HEDDLE_EV_ATOMIC_LOAD, order); }
  int store(int thread, uintptr_t a, int order) { return atomic(thread, a, 4, HEDDLE_EV_ATOMIC_STORE, order); }
  int rmw(int thread, uintptr_t a, int order) { return atomic(thread, a, 4, HEDDLE_EV_ATOMIC_RMW, order); }
  int fence(int thread, int order);
  int acquire(int thread, int object);
  int release(int thread, int object);
  int create(int parent);  // the new thread's index, not an event
  int join(int joiner, int joined);
  int allocated(int thread, uintptr_t address, size_t bytes);
  int freed(int thread, uintptr_t address, size_t bytes);
  int started(int thread, uintptr_t stack_low, uintptr_t stack_high);
  /// The detector's knowledge ends here, as at an overflow; the oracle's too.
  void forget();

  /// What the detector reported, in its order.
  std::vector<Pair> reported() const;
  std::vector<HeddleRace> races() const;
  /// All pairs of accesses that race.
  std::set<Pair> racing() const;
  /// Empty if the detector is right: every report is a race, and for every byte that has races the first of them was
  /// reported at its second access (FastTrack promises no more: what follows a race on a byte may go unseen).
  std::string difference() const;

  Thread& thread_at(int index) { return *threads_[index]; }
  int thread_count() const { return static_cast<int>(threads_.size()); }

 private:
  struct Event {
    int thread = 0;
    bool is_access = false, is_write = false, is_atomic = false;
    uintptr_t low = 0, high = 0;
    int life = 0;              // allocation epoch: accesses of different lives do not meet
    std::vector<bool> before;  // events that happened before
  };
  struct Store {             // the last atomic store to a byte
    std::vector<int> heads;  // whom an acquiring reader synchronises with
  };
  struct Fences {
    int release = -1;             // last release fence
    std::vector<int> unacquired;  // heads of what relaxed loads read since ever
  };

  int add(int thread);
  int add_access(int thread, uintptr_t a, size_t n, bool is_write, bool is_atomic);
  void edge(int from, int to);
  bool conflict(const Event& a, int first, const Event& b, int second, uintptr_t byte) const;
  HeddleSite* site(int event, uint32_t kind);
  uint32_t pc_site(int event) const { return HEDDLE_SITE_PC | static_cast<uint32_t>(first_site_ + event); }
  int event_of_site(uint32_t site) const;

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Object> objects_;
  std::vector<Event> events_;
  std::vector<int> last_;  // last event of each thread
  std::vector<Fences> fences_;
  std::map<int, std::vector<int>> releases_;  // by object
  std::map<uintptr_t, Store> stores_;
  std::map<uintptr_t, int> life_;  // by byte
  int lives_ = 0;
  uint64_t first_site_;
  std::map<int, std::map<uintptr_t, int>> lives_of_event_;
};

/// Notes of the detector, for tests.
extern std::vector<std::string> notes;
/// Taken from the arena so far.
extern size_t arena_bytes;

}  // namespace heddle::rt::detector
