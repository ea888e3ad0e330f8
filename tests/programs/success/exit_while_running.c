// expect: clean   main returns while threads lock, sleep and wait.
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void* locks(void* unused) {
  for (;;) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
  }
  return unused;
}
static void* waits(void* unused) {
  pthread_mutex_lock(&m);
  for (;;) pthread_cond_wait(&c, &m);
  return unused;
}
static void* sleeps(void* unused) {
  for (;;) usleep(10);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, locks, 0);
  pthread_create(&t, 0, waits, 0);
  pthread_create(&t, 0, sleeps, 0);
  usleep(100);
  return 0;
}
