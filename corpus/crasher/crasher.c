// Readers use the current table if there is one; a writer takes it away for a moment to rebuild it. A reader that has
// seen the pointer reads it again to use it.
//
// parameters: readers rounds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "../kernel.h"

enum { kSize = 4, kMost = 16 };

static struct table {
  int entries[kSize];
} tables[2];
static struct table* _Atomic current;
static int rounds;

static int sum_of_current(void) {
#ifdef FIXED
  struct table* mine = current;
  if (mine == NULL) return kSize;
#else
  if (current == NULL) return kSize;  // BUG:check
  struct table* mine = current;       // BUG:use
#endif
  int sum = 0;
  for (int i = 0; i < kSize; i++) sum += mine->entries[i];  // FAILS
  return sum;
}

static void* reader(void* unused) {
  (void)unused;
  for (int i = 0; i < rounds; i++) assert(sum_of_current() == kSize);
  return 0;
}

int main(int argc, char** argv) {
  int readers = parameter(argc, argv, 1, 5);
  rounds = parameter(argc, argv, 2, 3);
  assert(readers <= kMost);
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < kSize; i++) tables[t].entries[i] = 1;
  current = &tables[0];
  pthread_t threads[kMost];
  for (int i = 0; i < readers; i++) pthread_create(&threads[i], 0, reader, 0);
  for (int i = 0; i < rounds; i++) {
    struct table* next = current == &tables[0] ? &tables[1] : &tables[0];
    current = NULL;  // BUG:null
    current = next;
  }
  for (int i = 0; i < readers; i++) pthread_join(threads[i], 0);
  return 0;
}
