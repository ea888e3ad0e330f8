// expect: clean   Threads with the smallest stack, and with one that the program brings.
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void* works(void* unused) {
  char text[64];
  pthread_mutex_lock(&m);
  n++;
  pthread_mutex_unlock(&m);
  snprintf(text, sizeof text, "%d %d\n", (int)getpid(), access("/", R_OK));
  if (write(2, "", 0)) return 0;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_attr_t smallest, own;
  size_t size = 256 << 10;
  void* stack = 0;
  pthread_attr_init(&smallest);
  assert(pthread_attr_setstacksize(&smallest, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
  pthread_attr_init(&own);
  assert(posix_memalign(&stack, 4096, size) == 0 && pthread_attr_setstack(&own, stack, size) == 0);
  assert(pthread_create(&a, &smallest, works, 0) == 0);
  assert(pthread_create(&b, &own, works, 0) == 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(n == 2);
  free(stack);
  return 0;
}
