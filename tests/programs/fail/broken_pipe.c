// expect: signal   The reader closes its end before the writer writes: SIGPIPE, with the default action.
// laws: none, the kernel ends it inside a system call, with the last events not yet published
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void* reads(void* unused) {
  char byte;
  (void)!read(ends[0], &byte, 1);
  close(ends[0]);
  return unused;
}
static void* writes(void* unused) {
  (void)!write(ends[1], "a", 1);
  (void)!write(ends[1], "b", 1);
  return unused;
}
int main(void) {
  pthread_t a, b;
  if (pipe(ends)) return 1;
  pthread_create(&a, 0, reads, 0);
  pthread_create(&b, 0, writes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
