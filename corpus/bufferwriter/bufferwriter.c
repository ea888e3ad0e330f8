// Writers append to a common buffer. The lock is made by the first one that needs it, and each writer keeps the one it
// has seen: two that come at the same time work with a lock each.
//
// parameters: writers characters-per-writer
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../kernel.h"

enum { kMost = 32, kSize = 1 << 20 };

static pthread_mutex_t* _Atomic buffer_lock;
static char buffer[kSize];
static int length, each;

static pthread_mutex_t* lock_of_buffer(void) {
  pthread_mutex_t* lock = buffer_lock;  // BUG:check
  if (lock) return lock;
  lock = malloc(sizeof *lock);
  pthread_mutex_init(lock, 0);
#ifdef FIXED
  pthread_mutex_t* none = NULL;
  if (!atomic_compare_exchange_strong(&buffer_lock, &none, lock)) lock = none;
#else
  buffer_lock = lock;  // BUG:set
#endif
  return lock;
}

static void* writer(void* letter) {
  pthread_mutex_t* lock = lock_of_buffer();
  for (int i = 0; i < each; i++) {
    pthread_mutex_lock(lock);
    buffer[length] = *(char*)letter;  // BUG:write
    length++;                         // BUG:count
    pthread_mutex_unlock(lock);
  }
  return 0;
}

int main(int argc, char** argv) {
  int writers = parameter(argc, argv, 1, 10);
  each = parameter(argc, argv, 2, 4);
  assert(writers <= kMost && writers * each <= kSize);
  pthread_t threads[kMost];
  char letters[kMost];
  for (int i = 0; i < writers; i++) {
    letters[i] = (char)('a' + i);
    pthread_create(&threads[i], 0, writer, &letters[i]);
  }
  for (int i = 0; i < writers; i++) pthread_join(threads[i], 0);
  int counts[kMost] = {0}, complete = 0;
  for (int i = 0; i < length; i++) counts[buffer[i] - 'a']++;
  for (int i = 0; i < writers; i++) complete += counts[i] == each;
  assert(complete == writers);  // FAILS
  return 0;
}
