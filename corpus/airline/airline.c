// Sellers sell the seats of a plane, one each, until the last one is gone and the sale is stopped. Whether it is
// stopped and the sale itself are two steps.
//
// parameters: sellers seats
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats, sold, stopped;

static int is_stopped(void) {
  pthread_mutex_lock(&lock);
  int now = stopped;  // BUG:check
  pthread_mutex_unlock(&lock);
  return now;
}

static void* seller(void* unused) {
  (void)unused;
#ifndef FIXED
  if (is_stopped()) return 0;
#endif
  pthread_mutex_lock(&lock);
#ifdef FIXED
  if (!stopped) sold++;
#else
  sold++;  // BUG:sell
#endif
  if (sold == seats) stopped = 1;  // BUG:stop
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(int argc, char** argv) {
  int sellers = parameter(argc, argv, 1, 7);
  seats = parameter(argc, argv, 2, 5);
  assert(sellers <= kMost && seats <= sellers);
  pthread_t threads[kMost];
  for (int i = 0; i < sellers; i++) pthread_create(&threads[i], 0, seller, 0);
  for (int i = 0; i < sellers; i++) pthread_join(threads[i], 0);
  assert(is_stopped());
  assert(sold == seats);  // FAILS
  return 0;
}
