// expect: clean   Detached by attribute, by pthread_detach from outside and by themselves; main leaves by pthread_exit.
#include <pthread.h>
#include <semaphore.h>
static sem_t done;
static void* posts(void* itself) {
  if (itself) pthread_detach(pthread_self());
  sem_post(&done);
  return 0;
}
static void* waits(void* unused) {
  for (int i = 0; i < 3; i++) sem_wait(&done);
  return unused;
}
int main(void) {
  sem_init(&done, 0, 0);
  pthread_t t;
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_create(&t, 0, waits, 0);
  pthread_detach(t);
  pthread_create(&t, &detached, posts, 0);
  pthread_create(&t, 0, posts, &done);
  pthread_create(&t, 0, posts, 0);
  pthread_detach(t);
  pthread_exit(0);
}
