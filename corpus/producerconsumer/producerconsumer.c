// Producers fill a list, consumers take from it until it is empty and production is over. At the end one signal is sent
// for each consumer that is known to wait, and who waits is noted a moment before it waits: a consumer can be orphaned.
//
// parameters: producers consumers items
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 32, kItems = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int list[kItems], count, producing, over, sleepers, items;
static long sums[kMost];

static void put(int item) {
  pthread_mutex_lock(&lock);
  list[count++] = item;
  pthread_cond_signal(&more);
  pthread_mutex_unlock(&lock);
}

static void end_production(void) {
  pthread_mutex_lock(&lock);
  if (--producing == 0) {
    over = 1;  // BUG:over
#ifdef FIXED
    pthread_cond_broadcast(&more);
#else
    for (int i = 0; i < sleepers; i++) pthread_cond_signal(&more);  // BUG:count
#endif
  }
  pthread_mutex_unlock(&lock);
}

static int take(void) {
  int item = 0;
  pthread_mutex_lock(&lock);
  while (count == 0 && !over) {
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);  // BUG:gap the end may come here
    sleepers++;
#endif
    pthread_cond_wait(&more, &lock);  // BUG:wait FAILS
#ifndef FIXED
    sleepers--;
#endif
  }
  if (count > 0) item = list[--count];
  pthread_mutex_unlock(&lock);
  return item;
}

static void* producer(void* unused) {
  (void)unused;
  for (int i = 1; i <= items; i++) put(i);
  end_production();
  return 0;
}

static void* consumer(void* sum) {
  for (int item; (item = take()) != 0;) *(long*)sum += item;
  return 0;
}

int main(int argc, char** argv) {
  int consumers = parameter(argc, argv, 2, 4);
  producing = parameter(argc, argv, 1, 2);
  items = parameter(argc, argv, 3, 3);
  int producers = producing;
  assert(producers + consumers <= kMost && producers * items <= kItems);
  pthread_t threads[kMost];
  for (int i = 0; i < producers; i++) pthread_create(&threads[i], 0, producer, 0);
  for (int i = 0; i < consumers; i++) pthread_create(&threads[producers + i], 0, consumer, &sums[i]);
  for (int i = 0; i < producers + consumers; i++) pthread_join(threads[i], 0);
  long all = 0;
  for (int i = 0; i < consumers; i++) all += sums[i];
  assert(all == (long)producers * items * (items + 1) / 2);
  return 0;
}
