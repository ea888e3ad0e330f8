// expect: deadlock   A signal handler takes the mutex that the interrupted thread holds; another thread sends the signal.
#include <pthread.h>
#include <signal.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t target;
static int value;
static void adds(int unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  value++;
  pthread_mutex_unlock(&lock);
}
static void* sends(void* unused) {
  pthread_kill(target, SIGUSR1);
  return unused;
}
int main(void) {
  pthread_t t;
  target = pthread_self();
  signal(SIGUSR1, adds);
  pthread_create(&t, 0, sends, 0);
  for (int i = 0; i < 3; i++) adds(0);
  pthread_join(t, 0);
  return 0;
}
