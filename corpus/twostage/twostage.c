// Two values that belong together, each under its own lock: writers change them in two stages, readers read them in
// two. A reader between the stages of a writer sees the new first and the old second value.
//
// parameters: writers readers rounds
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 128 };

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
static int first, second = 1;  // second == first + 1
static int rounds;

static void enter(void) {
#ifdef FIXED
  pthread_mutex_lock(&both);
#endif
}

static void leave(void) {
#ifdef FIXED
  pthread_mutex_unlock(&both);
#endif
}

static void* writer(void* unused) {
  (void)unused;
  for (int i = 0; i < rounds; i++) {
    enter();
    pthread_mutex_lock(&first_lock);
    int seen = ++first;  // BUG:stage1
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    second = seen + 1;  // BUG:stage2
    pthread_mutex_unlock(&second_lock);
    leave();
  }
  return 0;
}

static void* reader(void* unused) {
  (void)unused;
  for (int i = 0; i < rounds; i++) {
    enter();
    pthread_mutex_lock(&first_lock);
    int one = first;  // BUG:read1
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    int two = second;  // BUG:read2
    pthread_mutex_unlock(&second_lock);
    leave();
    assert(two >= one + 1);  // FAILS
  }
  return 0;
}

int main(int argc, char** argv) {
  int writers = parameter(argc, argv, 1, 2), readers = parameter(argc, argv, 2, 1);
  rounds = parameter(argc, argv, 3, 1);
  assert(writers + readers <= kMost);
  pthread_t threads[kMost];
  for (int i = 0; i < writers + readers; i++) pthread_create(&threads[i], 0, i < writers ? writer : reader, 0);
  for (int i = 0; i < writers + readers; i++) pthread_join(threads[i], 0);
  (void)both;
  assert(first == writers * rounds);
  return 0;
}
