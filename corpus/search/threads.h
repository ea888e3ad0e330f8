/* Threads of the programs here: started in order, joined together. */
#pragma once
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_t started_threads[128];
static int started_count;

static inline void start(void* (*body)(void*), void* arg) {
  if (pthread_create(&started_threads[started_count++], NULL, body, arg)) abort();
}
static inline void join_all(void) {
  for (int i = 0; i < started_count; i++) pthread_join(started_threads[i], NULL);
}
#define LOCK(m) pthread_mutex_lock(&(m))
#define UNLOCK(m) pthread_mutex_unlock(&(m))
