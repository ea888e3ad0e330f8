// expect: deadlock
// inspect's qsort_mt: a pool of workers; an idle one is counted before it waits, and the last job's signal gets lost.
#include "threads.h"
enum { kWorkers = 3, kJobs = 4 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, idle_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_there = PTHREAD_COND_INITIALIZER;
static int queued = 1, split = 1, finished, over;

static void* worker(void* arg) {
  for (;;) {
    LOCK(m);
    while (queued == 0 && !over) pthread_cond_wait(&work_there, &m);  // FAILS
    if (over) break;
    queued--;
    int more = split < kJobs;
    if (more) split++, queued++;
    UNLOCK(m);
    if (more) pthread_cond_signal(&work_there);
    LOCK(idle_lock);
    int last = ++finished == kJobs;
    UNLOCK(idle_lock);
    if (last) {
      over = 1;  // not under m: a worker between its test and its wait does not see it
      pthread_cond_broadcast(&work_there);
      return arg;
    }
  }
  UNLOCK(m);
  return arg;
}
int main(void) {
  for (int i = 0; i < kWorkers; i++) start(worker, NULL);
  join_all();
}
