// Two threads bubble the same array. Neighbours are compared in one critical section and exchanged in the next one,
// with the values that were seen before.
//
// parameters: sorters numbers
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 1024, kSorters = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int numbers[kMost], count;

static void order(int i) {
  pthread_mutex_lock(&lock);
  int left = numbers[i], right = numbers[i + 1];  // BUG:read
#ifndef FIXED
  pthread_mutex_unlock(&lock);  // BUG:gap
  if (left <= right) return;
  pthread_mutex_lock(&lock);
#endif
  if (left > right) {
    numbers[i] = right;     // BUG:left
    numbers[i + 1] = left;  // BUG:right
  }
  pthread_mutex_unlock(&lock);
}

static void* sorter(void* unused) {
  (void)unused;
  for (int end = count - 1; end > 0; end--)
    for (int i = 0; i < end; i++) order(i);
  return 0;
}

int main(int argc, char** argv) {
  int sorters = parameter(argc, argv, 1, 2);
  count = parameter(argc, argv, 2, 8);
  assert(sorters <= kSorters && count <= kMost);
  for (int i = 0; i < count; i++) numbers[i] = (i * 5 + 3) % count;  // each of 0..count-1 once, unless 5 divides count
  assert(count % 5 != 0);
  pthread_t threads[kSorters];
  for (int i = 0; i < sorters; i++) pthread_create(&threads[i], 0, sorter, 0);
  for (int i = 0; i < sorters; i++) pthread_join(threads[i], 0);
  int in_place = 0;
  for (int i = 0; i < count; i++) in_place += numbers[i] == i;
  assert(in_place == count);  // FAILS
  return 0;
}
