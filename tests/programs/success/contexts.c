// expect: clean   Coroutines made with makecontext, one pair in each of two threads.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
static __thread ucontext_t outer, inner;
static void body(void) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    swapcontext(&inner, &outer);
  }
}
static void* runs(void* unused) {
  char* stack = malloc(65536);
  getcontext(&inner);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = 65536;
  inner.uc_link = &outer;
  makecontext(&inner, body, 0);
  for (int i = 0; i < 4; i++) swapcontext(&outer, &inner);
  free(stack);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, runs, 0);
  pthread_create(&b, 0, runs, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(total == 6);
  return 0;
}
