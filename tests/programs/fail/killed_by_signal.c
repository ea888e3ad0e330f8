// expect: signal   SIGTERM to itself with the default action.
// alone: SIGTERM
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static void* kills(void* unused) {
  kill(getpid(), SIGTERM);
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, kills, 0);
  pthread_join(t, 0);
  return 0;
}
