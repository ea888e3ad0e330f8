// Fillers and emptiers share one seat list of one place. Whoever has waited does not look again whether the place is
// what it waited for.
//
// parameters: pairs rounds
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int full, seat, rounds;
static long sums[kMost];

static void fill(int passenger) {
  pthread_mutex_lock(&lock);
  while (full) pthread_cond_wait(&emptied, &lock);
  seat = passenger;
  full = 1;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
}

static int empty(void) {
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (!full) pthread_cond_wait(&filled, &lock);
#else
  if (!full) pthread_cond_wait(&filled, &lock);  // BUG:wait
#endif
  assert(full);  // BUG:use FAILS
  int passenger = seat;
  full = 0;  // BUG:steal
  pthread_cond_signal(&emptied);
  pthread_mutex_unlock(&lock);
  return passenger;
}

static void* filler(void* unused) {
  (void)unused;
  for (int i = 1; i <= rounds; i++) fill(i);
  return 0;
}

static void* emptier(void* sum) {
  for (int i = 0; i < rounds; i++) *(long*)sum += empty();
  return 0;
}

int main(int argc, char** argv) {
  int pairs = parameter(argc, argv, 1, 10);
  rounds = parameter(argc, argv, 2, 1);
  assert(2 * pairs <= kMost);
  pthread_t threads[kMost];
  for (int i = 0; i < pairs; i++) pthread_create(&threads[i], 0, emptier, &sums[i]);
  for (int i = 0; i < pairs; i++) pthread_create(&threads[pairs + i], 0, filler, 0);
  for (int i = 0; i < 2 * pairs; i++) pthread_join(threads[i], 0);
  long all = 0;
  for (int i = 0; i < pairs; i++) all += sums[i];
  assert(all == (long)pairs * rounds * (rounds + 1) / 2);
  return 0;
}
