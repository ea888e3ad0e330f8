// expect: deadlock   Two of three threads; the third goes on for ever.
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* forth(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}
static void* back(void* unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}
static void* ticks(void* unused) {
  for (;;) sleep(1);
  return unused;
}
int main(void) {
  pthread_t x, y, z;
  pthread_create(&z, 0, ticks, 0);
  pthread_create(&x, 0, forth, 0);
  pthread_create(&y, 0, back, 0);
  pthread_join(x, 0);
  pthread_join(y, 0);
  return 0;
}
