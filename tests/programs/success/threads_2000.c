// expect: clean   2000 threads one after the other, a third of them detached.
// laws: 3 schedules, each makes 2000 threads
// runs: 3
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t done;
static void* posts(void* unused) {
  sem_post(&done);
  return unused;
}
int main(void) {
  sem_init(&done, 0, 0);
  for (int i = 0; i < 2000; i++) {
    pthread_t t;
    assert(pthread_create(&t, 0, posts, 0) == 0);
    sem_wait(&done);
    if (i % 3)
      pthread_join(t, 0);
    else
      pthread_detach(t);
  }
  return 0;
}
