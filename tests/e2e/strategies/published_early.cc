// Double-checked initialisation that publishes before it initialises. Where both threads wait for each other at the lock nothing races: the race, and the
// failure, need a thread that comes so late that it never locks.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Thing {
  int value = 0;
  bool ready = false;
};
static std::atomic<Thing*> published{nullptr};
static std::mutex mutex;

static Thing* get() {
  Thing* thing = published.load();
  if (thing) return thing;
  std::lock_guard<std::mutex> lock(mutex);
  thing = published.load();
  if (thing) return thing;
  thing = new Thing;
  published.store(thing);
  thing->value = 42;
  thing->ready = true;
  return thing;
}

int main() {
  std::thread one([] { assert(get()->ready); }), other([] { assert(get()->ready); });
  one.join();
  other.join();
}
