// Two threads add what a child process says: when it says it is up to the machine.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int sum;
static void* adds(void* unused) {
  char said[64];
  FILE* child = popen("echo 7", "r");
  if (child && fgets(said, sizeof said, child)) {
    int n = sum;
    sum = n + atoi(said);
  }
  if (child) pclose(child);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, adds, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 14);
  return 0;
}
