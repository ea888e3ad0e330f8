// expect: clean   All descriptors are closed, the standard ones too; threads, files and pipes still work.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], n;
static void* writes(void* unused) {
  pthread_mutex_lock(&m);
  n++;
  pthread_mutex_unlock(&m);
  if (write(ends[1], "x", 1) != 1) _exit(5);
  return unused;
}
int main(void) {
  char byte;
  close_range(3, ~0u, 0);
  for (int fd = 0; fd < 100; fd++) close(fd);
  if (write(1, "lost", 4) != -1) return 2;
  if (pipe(ends) || ends[0] != 0) return 3;
  pthread_t a, b;
  pthread_create(&a, 0, writes, 0);
  pthread_create(&b, 0, writes, 0);
  for (int i = 0; i < 2; i++)
    if (read(ends[0], &byte, 1) != 1 || byte != 'x') return 4;
  pthread_join(a, 0);
  pthread_join(b, 0);
  return n == 2 ? 0 : 6;
}
