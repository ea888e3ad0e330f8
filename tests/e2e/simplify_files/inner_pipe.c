// The same through a pipe between two threads: the reader sees one byte of two.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void* writes(void* unused) {
  (void)!write(ends[1], "A", 1);
  (void)!write(ends[1], "B", 1);
  return unused;
}
static void* reads(void* unused) {
  char both[2];
  assert(read(ends[0], both, 2) != 1);
  return unused;
}
int main(void) {
  if (pipe2(ends, O_NONBLOCK)) return 0;
  pthread_t a, b;
  pthread_create(&a, 0, writes, 0);
  pthread_create(&b, 0, reads, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
