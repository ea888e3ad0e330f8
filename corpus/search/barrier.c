// expect: deadlock
// The barriers of splash2 kernels, with the phase read after the arrival was counted: it may be over by then.
#include "threads.h"
enum { kThreads = 3, kRounds = 2 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next_phase = PTHREAD_COND_INITIALIZER;
static int arrived, phase;

static void barrier(void) {
  LOCK(m);
  int last = ++arrived == kThreads;
  UNLOCK(m);
  LOCK(m);
  if (last) {
    arrived = 0;
    phase++;
    pthread_cond_broadcast(&next_phase);
  } else {
    for (int now = phase; phase == now;) pthread_cond_wait(&next_phase, &m);  // FAILS
  }
  UNLOCK(m);
}
static void* work(void* arg) {
  for (int r = 0; r < kRounds; r++) barrier();
  return arg;
}
int main(void) {
  for (int i = 0; i < kThreads; i++) start(work, NULL);
  join_all();
}
