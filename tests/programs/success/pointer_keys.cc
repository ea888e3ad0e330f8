// expect: clean race
// args: 4 60
// A pool whose bookkeeping is keyed by addresses: what it prints depends on what malloc returned. A replay of a recording prints the same.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
#include <stdexcept>
#include <atomic>
struct Job { int id; std::string text; };
std::mutex m; std::condition_variable cv; std::deque<std::unique_ptr<Job>> q; bool done_;
std::shared_mutex sm; std::unordered_map<const void*, int> seen; std::atomic<int> processed; int racy;
int main(int argc, char** argv) {
  int workers = argc > 1 ? atoi(argv[1]) : 8, jobs = argc > 2 ? atoi(argv[2]) : 2000;
  std::vector<std::thread> t;
  for (int i = 0; i < workers; i++) t.emplace_back([] {
    for (;;) {
      std::unique_ptr<Job> j;
      { std::unique_lock l(m); cv.wait(l, [] { return done_ || !q.empty(); }); if (q.empty()) return; j = std::move(q.front()); q.pop_front(); }
      try { if (j->id % 97 == 0) throw std::runtime_error(j->text); } catch (std::exception& e) { racy += (int)std::string(e.what()).size(); }
      { std::unique_lock l(sm); seen[j.get()]++; }
      { std::shared_lock l(sm); processed += (int)seen.count(j.get()); }
      racy++;
    }
  });
  for (int i = 0; i < jobs; i++) { auto j = std::make_unique<Job>(Job{i, "job " + std::to_string(i)}); std::lock_guard l(m); q.push_back(std::move(j)); cv.notify_one(); }
  { std::lock_guard l(m); done_ = true; } cv.notify_all();
  for (auto& x : t) x.join();
  unsigned h = 0; int n = 0; for (auto& [p, k] : seen) { h = h * 31 + (unsigned)(unsigned long)p * k; n++; }
  std::printf("%d %d %u %d\n", processed.load(), n, h, racy);
}
