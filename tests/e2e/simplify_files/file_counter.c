// Two threads count in a file, each access under a lock, the update not: the second must read before the first has written.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count(void) {
  int n = 0;
  pthread_mutex_lock(&m);
  FILE* f = fopen("count", "r");
  if (f) {
    (void)!fscanf(f, "%d", &n);
    fclose(f);
  }
  pthread_mutex_unlock(&m);
  return n;
}
static void set(int n) {
  pthread_mutex_lock(&m);
  FILE* f = fopen("count", "w");
  fprintf(f, "%d", n);
  fclose(f);
  pthread_mutex_unlock(&m);
}
static void* adds(void* unused) {
  set(count() + 1);
  return unused;
}
int main(void) {
  remove("count");
  pthread_t a, b;
  pthread_create(&a, 0, adds, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count() == 2);
  return 0;
}
