/* A queue with one counter. take() tests for an item and takes it in two critical sections, so it fails very rarely. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int filled;

static int available(void) {
  pthread_mutex_lock(&m);
  int yes = filled > 0;
  pthread_mutex_unlock(&m);
  return yes;
}

static void* take(void* unused) {
  if (!available()) return unused;
  pthread_mutex_lock(&m);
  assert(filled > 0);
  filled--;
  pthread_mutex_unlock(&m);
  return unused;
}

static void* put(void* unused) {
  pthread_mutex_lock(&m);
  filled++;
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t producer, consumer[2];
  pthread_create(&producer, 0, put, 0);
  for (int i = 0; i < 2; i++) pthread_create(&consumer[i], 0, take, 0);
  pthread_join(producer, 0);
  for (int i = 0; i < 2; i++) pthread_join(consumer[i], 0);
  puts("all taken");
  return 0;
}
