// expect: clean   The parent exits at once, the child lives on in a session of its own: nothing of it may stay behind.
// laws: 5 schedules, each leaves a process to be killed
#include <pthread.h>
#include <unistd.h>
static void* nothing(void* unused) { return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, nothing, 0);
  pthread_join(t, 0);
  if (daemon(1, 0)) return 1;
  sleep(2);
  return 0;
}
