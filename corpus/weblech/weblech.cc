// A web spider: threads take the next page from a queue, follow its links and put new pages into it, until there are no
// pages and nobody works on one. Whether there is one and taking it are two steps.
//
// parameters: spiders pages
#include <assert.h>
#include <sched.h>

#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "../kernel.h"

namespace {
std::mutex lock;
std::deque<int> queue;
std::vector<bool> seen;
int in_progress, downloaded;

// Page n links to 2n+1 and 2n+2.
void follow_links(int page) {
  std::lock_guard held(lock);
  for (size_t next : {2 * page + 1, 2 * page + 2})
    if (next < seen.size() && !seen[next]) {
      seen[next] = true;
      queue.push_back(static_cast<int>(next));
    }
  in_progress--;
  downloaded++;
}

// 1: there is a page, 0: there may be one later, -1: all is done.
int state_of_queue() {
  std::lock_guard held(lock);
  if (!queue.empty()) return 1;  // BUG:check
  return in_progress > 0 ? 0 : -1;
}

int next_page() {
  std::lock_guard held(lock);
#ifdef FIXED
  if (queue.empty()) return -1;
#endif
  int page = queue.at(0);  // BUG:take FAILS
  queue.pop_front();       // BUG:steal
  in_progress++;
  return page;
}

void spider() {
  for (int state; (state = state_of_queue()) >= 0;) {
    if (state == 0) {
      sched_yield();
      continue;
    }
    int page = next_page();
    if (page >= 0) follow_links(page);
  }
}
}  // namespace

int main(int argc, char** argv) {
  int spiders = parameter(argc, argv, 1, 5), pages = parameter(argc, argv, 2, 4);
  seen.resize(pages);
  seen[0] = true;
  queue.push_back(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < spiders; i++) threads.emplace_back(spider);
  for (std::thread& t : threads) t.join();
  assert(downloaded == pages);
  return 0;
}
