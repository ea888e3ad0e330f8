// A parallel sort: each worker owns a block, neighbours merge and split in odd and even rounds. After each round the
// sum of all keys is taken, to see that none was lost. Workers add their part to the common sum without a lock.
//
// parameters: workers keys-per-worker rounds
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel.h"

enum { kMost = 16, kKeys = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int workers, keys, rounds, arrived, generation;
static int blocks[kMost][kKeys];
static long sum, expected;
static int wrong[kMost];

static void barrier(void) {
  pthread_mutex_lock(&lock);
  int mine = generation;
  if (++arrived == workers) {
    arrived = 0;
    generation++;
    pthread_cond_broadcast(&passed);
  }
  while (mine == generation) pthread_cond_wait(&passed, &lock);
  pthread_mutex_unlock(&lock);
}

static int ascending(const void* a, const void* b) {
  return (*(const int*)a > *(const int*)b) - (*(const int*)a < *(const int*)b);
}

static void merge_split(int* low, int* high) {
  int both[2 * kKeys];
  memcpy(both, low, keys * sizeof *both);
  memcpy(both + keys, high, keys * sizeof *both);
  qsort(both, 2 * keys, sizeof *both, ascending);
  memcpy(low, both, keys * sizeof *both);
  memcpy(high, both + keys, keys * sizeof *both);
}

// The sum over all workers of what each of them gives.
static long reduce(int me, long part) {
  if (me == 0) sum = 0;
  barrier();
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  sum += part;  // BUG:add
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  barrier();
  long all = sum;
  barrier();
  return all;
}

static void* worker(void* number) {
  int me = (int)(intptr_t)number;
  qsort(blocks[me], keys, sizeof blocks[me][0], ascending);
  for (int round = 0; round < rounds; round++) {
    barrier();
    if (me % 2 == round % 2 && me + 1 < workers) merge_split(blocks[me], blocks[me + 1]);
    barrier();
    long part = 0;
    for (int i = 0; i < keys; i++) part += blocks[me][i];
    if (reduce(me, part) != expected) wrong[me]++;
  }
  return 0;
}

int main(int argc, char** argv) {
  workers = parameter(argc, argv, 1, 4);
  keys = parameter(argc, argv, 2, 8);
  rounds = parameter(argc, argv, 3, 8);
  assert(workers <= kMost && rounds >= workers && keys <= kKeys);
  uint32_t random = 88675123u;
  for (int i = 0; i < workers * keys; i++)
    expected += blocks[i / keys][i % keys] = (int)(next_random(&random) % 100000);
  pthread_t threads[kMost];
  for (int i = 0; i < workers; i++) pthread_create(&threads[i], 0, worker, (void*)(intptr_t)i);
  for (int i = 0; i < workers; i++) pthread_join(threads[i], 0);
  for (int i = 1; i < workers * keys; i++) assert(blocks[(i - 1) / keys][(i - 1) % keys] <= blocks[i / keys][i % keys]);
  for (int i = 0; i < workers; i++) assert(wrong[i] == 0);  // FAILS
  return 0;
}
