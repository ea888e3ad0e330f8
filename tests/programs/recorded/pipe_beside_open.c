// expect: clean
// A thread prints into a pipe until it is full, and waits; the one that empties it opens a file first. Neither waits for the other's lock.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int p[2];
static void* writes(void* x) {
  static char big[200000];
  memset(big, 'a', sizeof big - 1);
  dprintf(p[1], "%s", big);
  close(p[1]);
  return x;
}
int main(void) {
  pthread_t t;
  if (pipe(p) != 0) return 1;
  pthread_create(&t, 0, writes, 0);
  usleep(100000);  // the pipe is full by then, or will be
  FILE* f = fopen("/dev/null", "w");
  char b[4096];
  long n = 0, k;
  while ((k = read(p[0], b, sizeof b)) > 0) n += k;
  pthread_join(t, 0);
  fclose(f);
  printf("%ld\n", n);
  return 0;
}
