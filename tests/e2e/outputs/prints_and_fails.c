// A lost update, and each thread prints what it saw: another schedule prints something else.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int n;
static void* add(void* p) {
  for (int i = 0; i < 4; i++) {
    int seen = n;
    char line[16];
    printf("%d saw %d\n", *(int*)p, seen);
    fflush(stdout);
    n = seen + 1;
  }
  return 0;
}
int main(void) {
  pthread_t t[2];
  int id[2] = {1, 2};
  for (int i = 0; i < 2; i++) pthread_create(t + i, 0, add, id + i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  printf("%d\n", n);
  fflush(stdout);
  assert(n == 8);
  return 0;
}
