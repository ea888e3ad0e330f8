// expect: clean
// std::shared_mutex and shared_timed_mutex: readers together, upgrades by hand, tries, time-outs, lock and multi-lock helpers.
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
using namespace std::chrono_literals;

std::shared_mutex table_lock;
int table[4];
std::shared_timed_mutex timed;
int timed_value;

void reader() {
  for (int i = 0; i < 4; i++) {
    std::shared_lock lock(table_lock);
    int sum = 0;
    for (int v : table) sum += v;
    assert(sum % 4 == 0);
  }
}
void writer(int by) {
  for (int i = 0; i < 3; i++) {
    std::unique_lock lock(table_lock, std::try_to_lock);
    if (!lock) lock.lock();
    for (int& v : table) v += by;
  }
}
void timed_user(int id) {
  if (timed.try_lock_shared_for(1ms)) {
    assert(timed_value >= 0);
    timed.unlock_shared();
  }
  std::unique_lock lock(timed, std::defer_lock);
  while (!lock.try_lock_for(10us)) std::this_thread::yield();
  timed_value += id;
}
std::mutex first, second;
std::shared_mutex third;
int guarded;
void takes_all(bool forth) {
  for (int i = 0; i < 3; i++) {
    if (forth) {
      std::scoped_lock all(first, second, third);
      guarded++;
    } else {
      std::unique_lock c(third, std::defer_lock);
      std::unique_lock b(second, std::defer_lock), a(first, std::defer_lock);
      std::lock(c, b, a);
      guarded++;
    }
  }
}
int main() {
  {
    std::vector<std::jthread> threads;
    threads.emplace_back(reader);
    threads.emplace_back(reader);
    threads.emplace_back(writer, 1);
    threads.emplace_back(writer, 3);
    threads.emplace_back(timed_user, 1);
    threads.emplace_back(timed_user, 2);
    threads.emplace_back(takes_all, true);
    threads.emplace_back(takes_all, false);
  }
  assert(table[0] == 12 && timed_value == 3 && guarded == 6);
}
