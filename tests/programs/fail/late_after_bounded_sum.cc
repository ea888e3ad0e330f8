// expect: assertion   As late_after_computation.c, with loops that read a common bound and few places, and iterate over a container.
// runs: 100
// laws: none, with every access a point each run has millions of steps
// tsan: none, no hooks on branches: that it computes is not known
#include <cassert>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

static std::mutex m;
static bool started, finished;
static long bound = 300000, sum;
static std::vector<int> data(60000, 1);

int main() {
  std::thread worker([] {
    {
      std::lock_guard hold(m);
      started = true;
    }
    std::lock_guard hold(m);
    finished = true;
  });
  bool seen;
  {
    std::lock_guard hold(m);
    seen = started;
  }
  for (long i = 0; i < bound; i++) sum += i;
  for (auto& value : data) value += 2;
  for (auto i = data.begin(); i != data.end(); ++i) sum += *i;
  {
    std::lock_guard hold(m);
    assert(!seen || finished);  // "it has had all the time in the world"
  }
  worker.join();
}
