// expect: assertion
// A slot is handed from owner to owner by compare-and-exchange; the state is read before the lease is checked, and both can have moved on.
#include <atomic>
#include "../threads.h"
enum { kIdle, kBusy, kDone };
static std::atomic<int> state{kIdle}, lease{0}, owners{0};

static void* own(void* arg) {
  for (int i = 0; i < 2; i++) {
    int seen = lease.load();
    int idle = kIdle;
    if (state.load() == kBusy && lease.load() == seen) state.store(kIdle);  // it looks as if the owner had died
    if (!state.compare_exchange_strong(idle, kBusy)) continue;
    lease.fetch_add(1);
    assert(owners.fetch_add(1) < 2);  // FAILS: three owners
    owners.fetch_sub(1);
    state.store(kIdle);
  }
  return arg;
}
int main() {
  start(own, nullptr);
  start(own, nullptr);
  start(own, nullptr);
  join_all();
}
