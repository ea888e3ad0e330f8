// expect: clean   The handler of a real timer ends a wait for a semaphore: no deadlock while the timer runs.
// laws: none, each run takes as long as the timer
// runs: 30
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
static sem_t done;
static void posts(int unused) {
  (void)unused;
  sem_post(&done);
}
int main(void) {
  sem_init(&done, 0, 0);
  signal(SIGALRM, posts);
  ualarm(30000, 0);
  while (sem_wait(&done) != 0) {
  }
  return 0;
}
