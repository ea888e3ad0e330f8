// expect: deadlock   Nobody sends a signal: one thread pauses, one polls nothing, main joins them.
// options: hang_timeout=60s
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static void* pauses(void* p) {
  pause();
  return p;
}
static void* polls(void* p) {
  poll(NULL, 0, -1);
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, pauses, NULL);
  pthread_create(&b, NULL, polls, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
