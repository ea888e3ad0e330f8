// expect: exit   _exit(3) in a thread while main and another thread wait.
#include <pthread.h>
#include <unistd.h>
static void* sleeps(void* unused) {
  for (;;) sleep(1000);
  return unused;
}
static void* quits(void* unused) {
  _exit(3);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, sleeps, 0);
  pthread_create(&b, 0, quits, 0);
  pthread_join(a, 0);
  return 0;
}
