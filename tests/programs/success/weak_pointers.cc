// expect: clean
// Weak pointers dropped beside the last shared_ptr: libstdc++ 12 reads both 4-byte counters with one 8-byte load, which has to
// synchronise with the decrement of either of them.
#include <memory>
#include <thread>
#include <vector>

struct Value {
  int number = 1;
  ~Value() { number = 0; }
};

static void shared_dropped_by_a_thread() {
  auto shared = std::make_shared<Value>();
  std::weak_ptr<Value> weak = shared;
  std::thread t([shared = std::move(shared)]() mutable { shared.reset(); });
  weak.reset();
  t.join();
}

static void weak_dropped_by_threads() {
  auto shared = std::make_shared<Value>();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; i++) {
    threads.emplace_back([weak = std::weak_ptr<Value>(shared)]() mutable {
      if (auto locked = weak.lock()) (void)locked->number;
      weak.reset();
    });
  }
  shared.reset();
  for (auto& t : threads) t.join();
}

static void from_this() {
  struct Self : std::enable_shared_from_this<Self> {
    int number = 0;
  };
  auto self = std::make_shared<Self>();
  std::thread t([own = self->weak_from_this()] {
    if (auto locked = own.lock()) (void)locked->number;
  });
  self.reset();
  t.join();
}

int main() {
  shared_dropped_by_a_thread();
  weak_dropped_by_threads();
  from_this();
}
