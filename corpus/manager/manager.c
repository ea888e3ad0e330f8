// A manager of memory blocks: users take and give back, and two counters say how many are free and how many are in use.
// Each counter has its own critical section; whoever looks between the two misses a block.
//
// parameters: users rounds blocks
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, unused_blocks, used_blocks, rounds;

static void boundary(void) {
#ifndef FIXED
  pthread_mutex_unlock(&lock);  // BUG:gap
  pthread_mutex_lock(&lock);
#endif
}

static int take_block(void) {
  pthread_mutex_lock(&lock);
  int got = unused_blocks > 0;
  if (got) {
    unused_blocks--;  // BUG:free
    boundary();
    used_blocks++;  // BUG:used
  }
  pthread_mutex_unlock(&lock);
  return got;
}

static void give_back(void) {
  pthread_mutex_lock(&lock);
  used_blocks--;  // BUG:unuse
  boundary();
  unused_blocks++;  // BUG:unfree
  pthread_mutex_unlock(&lock);
}

static void audit(void) {
  pthread_mutex_lock(&lock);
  assert(used_blocks + unused_blocks == total);  // BUG:audit FAILS
  pthread_mutex_unlock(&lock);
}

static void* user(void* unused) {
  (void)unused;
  for (int i = 0; i < rounds; i++)
    if (take_block()) give_back();
  audit();
  return 0;
}

int main(int argc, char** argv) {
  int users = parameter(argc, argv, 1, 2);
  rounds = parameter(argc, argv, 2, 3);
  total = unused_blocks = parameter(argc, argv, 3, 3);
  assert(users <= kMost);
  pthread_t threads[kMost];
  for (int i = 0; i < users; i++) pthread_create(&threads[i], 0, user, 0);
  for (int i = 0; i < users; i++) pthread_join(threads[i], 0);
  assert(unused_blocks == total);
  return 0;
}
