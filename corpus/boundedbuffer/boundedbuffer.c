// A small buffer. Producers wait for room and consumers for items on one and the same condition, and each change wakes
// one thread: it may be of the wrong kind, which goes back to sleep and tells nobody.
//
// parameters: producers consumers items-per-consumer places
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kPlaces = 8, kMost = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items[kPlaces], count, places, per_producer, per_consumer;
static long sums[kMost];

static void tell(void) {
#ifdef FIXED
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);  // BUG:signal
#endif
}

static void put(int item) {
  pthread_mutex_lock(&lock);
  while (count == places) pthread_cond_wait(&changed, &lock);  // BUG:full FAILS
  items[count++] = item;
  tell();
  pthread_mutex_unlock(&lock);
}

static int take(void) {
  pthread_mutex_lock(&lock);
  while (count == 0) pthread_cond_wait(&changed, &lock);  // BUG:empty FAILS
  int item = items[--count];
  tell();
  pthread_mutex_unlock(&lock);
  return item;
}

static void* producer(void* unused) {
  (void)unused;
  for (int i = 1; i <= per_producer; i++) put(i);
  return 0;
}

static void* consumer(void* sum) {
  for (int i = 0; i < per_consumer; i++) *(long*)sum += take();
  return 0;
}

int main(int argc, char** argv) {
  int producers = parameter(argc, argv, 1, 1), consumers = parameter(argc, argv, 2, 4);
  per_consumer = parameter(argc, argv, 3, 2);
  places = parameter(argc, argv, 4, 2);
  per_producer = per_consumer * consumers / producers;
  assert(producers + consumers <= kMost && places <= kPlaces && per_producer * producers == per_consumer * consumers);
  pthread_t threads[kMost];
  for (int i = 0; i < producers; i++) pthread_create(&threads[i], 0, producer, 0);
  for (int i = 0; i < consumers; i++) pthread_create(&threads[producers + i], 0, consumer, &sums[i]);
  for (int i = 0; i < producers + consumers; i++) pthread_join(threads[i], 0);
  long all = 0;
  for (int i = 0; i < consumers; i++) all += sums[i];
  assert(all == (long)producers * per_producer * (per_producer + 1) / 2);
  return 0;
}
