// A bounded ring of integers between producers and consumers. A consumer looks whether there is something in one
// critical section and takes it in the next one.
//
// parameters: producers consumers items-per-consumer capacity
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 64 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t filled, drained;
  int items[kMost], capacity;
  int head, rear;  // counts of what was taken and put; equal: empty
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .drained = PTHREAD_COND_INITIALIZER};

static int per_producer, per_consumer;
static long sums[kMost];

static void put(int item) {
  pthread_mutex_lock(&ring.lock);
  while (ring.rear - ring.head == ring.capacity) pthread_cond_wait(&ring.drained, &ring.lock);
  ring.items[ring.rear % ring.capacity] = item;
  ring.rear++;
  pthread_cond_signal(&ring.filled);
  pthread_mutex_unlock(&ring.lock);
}

static int take(void) {
  pthread_mutex_lock(&ring.lock);
  while (ring.head == ring.rear) pthread_cond_wait(&ring.filled, &ring.lock);  // BUG:check
#ifndef FIXED
  pthread_mutex_unlock(&ring.lock);  // BUG:gap what was seen may be taken by another consumer here
  pthread_mutex_lock(&ring.lock);
#endif
  assert(ring.head != ring.rear);  // FAILS
  int item = ring.items[ring.head % ring.capacity];
  ring.head++;  // BUG:take
  pthread_cond_signal(&ring.drained);
  pthread_mutex_unlock(&ring.lock);
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
  int producers = parameter(argc, argv, 1, 5), consumers = parameter(argc, argv, 2, 5);
  per_consumer = parameter(argc, argv, 3, 2);
  ring.capacity = parameter(argc, argv, 4, 4);
  per_producer = per_consumer * consumers / producers;
  assert(producers + consumers <= kMost && ring.capacity <= kMost);
  assert(per_producer * producers == per_consumer * consumers);
  pthread_t threads[kMost];
  for (int i = 0; i < producers; i++) pthread_create(&threads[i], 0, producer, 0);
  for (int i = 0; i < consumers; i++) pthread_create(&threads[producers + i], 0, consumer, &sums[i]);
  for (int i = 0; i < producers + consumers; i++) pthread_join(threads[i], 0);
  long all = 0;
  for (int i = 0; i < consumers; i++) all += sums[i];
  assert(all == (long)producers * per_producer * (per_producer + 1) / 2);
  return 0;
}
