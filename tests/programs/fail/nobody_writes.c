// expect: deadlock   Two threads wait for a byte that nobody writes.
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void* reads(void* unused) {
  char byte;
  (void)!read(ends[0], &byte, 1);
  return unused;
}
int main(void) {
  if (pipe(ends)) return 1;
  pthread_t t;
  pthread_create(&t, 0, reads, 0);
  reads(0);
  pthread_join(t, 0);
  return 0;
}
