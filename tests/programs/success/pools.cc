// expect: clean
// A work-stealing pool: deques under locks, a condition variable for the idle, futures, continuations, exceptions, shutdown.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(unsigned n) : queues_(n) {
    for (unsigned i = 0; i < n; i++) threads_.emplace_back([this, i] { run(i); });
  }
  ~Pool() {
    {
      std::lock_guard hold(idle_lock_);
      stopping_ = true;
    }
    idle_.notify_all();
    for (auto& t : threads_) t.join();
  }
  template <class F>
  auto submit(F f) -> std::future<decltype(f())> {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
    auto result = task->get_future();
    auto& q = queues_[next_++ % queues_.size()];
    {
      std::lock_guard hold(q.lock);
      q.work.push_back([task] { (*task)(); });
    }
    {
      std::lock_guard hold(idle_lock_);
      pending_++;
    }
    idle_.notify_one();
    return result;
  }

 private:
  struct Queue {
    std::mutex lock;
    std::deque<std::function<void()>> work;
  };
  std::function<void()> find(unsigned me) {
    for (unsigned i = 0; i < queues_.size(); i++) {
      auto& q = queues_[(me + i) % queues_.size()];
      std::unique_lock hold(q.lock, std::try_to_lock);
      if (!hold && i) continue;
      if (!hold) hold.lock();
      if (q.work.empty()) continue;
      auto job = std::move(i ? q.work.back() : q.work.front());
      i ? q.work.pop_back() : q.work.pop_front();
      return job;
    }
    return nullptr;
  }
  void run(unsigned me) {
    for (;;) {
      {
        std::unique_lock hold(idle_lock_);
        idle_.wait(hold, [this] { return pending_ > 0 || stopping_; });
        if (pending_ == 0) return;
        pending_--;
      }
      std::function<void()> job;
      while (!(job = find(me))) std::this_thread::yield();
      job();
    }
  }
  std::vector<Queue> queues_;
  std::atomic<unsigned> next_ = 0;
  std::mutex idle_lock_;
  std::condition_variable idle_;
  int pending_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

int main() {
  std::vector<std::future<int>> results;
  {
    Pool pool(3);
    for (int i = 0; i < 6; i++)
      results.push_back(pool.submit([i]() -> int {
        if (i == 5) throw i;
        std::vector<int> v(i + 1);
        std::iota(v.begin(), v.end(), 1);
        return std::accumulate(v.begin(), v.end(), 0);
      }));
  }
  int sum = 0;
  for (auto& r : results) try {
      sum += r.get();
    } catch (int e) {
      sum += 100 * e;
    }
  assert(sum == 535);
}
