// expect: clean   Threads blocked in a condition wait, a read, a sleep, a join, a semaphore and a poll are cancelled.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, cleaned_m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int ends[2], cleaned;
static pthread_t sleeper;
static void count(void* locked) {
  if (locked) pthread_mutex_unlock(&m);
  pthread_mutex_lock(&cleaned_m);
  cleaned++;
  pthread_mutex_unlock(&cleaned_m);
}
static void* in_wait(void* unused) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(count, &m);
  for (;;) pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(1);
  return unused;
}
static void* in_read(void* unused) {
  char byte;
  pthread_cleanup_push(count, 0);
  for (;;) (void)!read(ends[0], &byte, 1);
  pthread_cleanup_pop(1);
  return unused;
}
static void* in_sleep(void* unused) {
  pthread_cleanup_push(count, 0);
  for (;;) sleep(1000);
  pthread_cleanup_pop(1);
  return unused;
}
static void* in_join(void* unused) {
  pthread_cleanup_push(count, 0);
  pthread_join(sleeper, 0);
  pthread_cleanup_pop(1);
  return unused;
}
static void* in_sem(void* unused) {
  pthread_cleanup_push(count, 0);
  for (;;) sem_wait(&s);
  pthread_cleanup_pop(1);
  return unused;
}
static void* in_poll(void* unused) {
  struct pollfd p = {ends[0], POLLIN, 0};
  pthread_cleanup_push(count, 0);
  for (;;) poll(&p, 1, -1);
  pthread_cleanup_pop(1);
  return unused;
}
int main(void) {
  assert(pipe(ends) == 0);
  sem_init(&s, 0, 0);
  void* (*all[])(void*) = {in_join, in_wait, in_read, in_sem, in_poll, in_sleep};
  pthread_t t[6];
  pthread_create(&sleeper, 0, in_sleep, 0);
  t[5] = sleeper;
  for (int i = 0; i < 5; i++) pthread_create(&t[i], 0, all[i], 0);
  for (int i = 0; i < 6; i++) {
    void* result = 0;
    assert(pthread_cancel(t[i]) == 0);
    assert(pthread_join(t[i], &result) == 0);
    assert(result == PTHREAD_CANCELED);
  }
  assert(cleaned == 6);
  return 0;
}
