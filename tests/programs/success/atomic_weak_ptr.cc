// expect: clean
// tsan: none, libstdc++'s relaxed unlock is a race to the letter; heddle cc knows it
// runs: 300
// std::atomic<std::shared_ptr>, the weak one, and the free functions on plain ones; all with their default orders.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Node {
  int value;
};

int main() {
  std::atomic<std::shared_ptr<Node>> latest(std::make_shared<Node>(0));
  std::thread writer([&] {
    for (int i = 1; i < 4; i++) latest.store(std::make_shared<Node>(i));
  });
  std::thread reader([&] {
    int last = 0;
    for (int i = 0; i < 4; i++) {
      int now = latest.load()->value;
      assert(now >= last);
      last = now;
    }
  });
  writer.join();
  reader.join();

  auto add = [&] {
    auto seen = latest.load();
    std::shared_ptr<Node> next;
    do next = std::make_shared<Node>(seen->value + 1);
    while (!latest.compare_exchange_weak(seen, next));
  };
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(latest.load()->value == 5);

  std::thread waiter([&] {
    for (auto seen = latest.load(); seen->value != 6; seen = latest.load()) latest.wait(seen);
  });
  latest.exchange(std::make_shared<Node>(6));
  latest.notify_all();
  waiter.join();

  auto owner = std::make_shared<Node>(7);
  std::atomic<std::weak_ptr<Node>> weak;
  std::thread c([&] { weak.store(owner); });
  if (auto node = weak.load().lock()) assert(node->value == 7);
  c.join();

  std::shared_ptr<Node> plain = owner;
  std::thread d([&] { std::atomic_store(&plain, std::make_shared<Node>(8)); });
  assert(std::atomic_load(&plain)->value >= 7);
  d.join();
}
