// Two reads of a file by one thread and a write by another: three orders, and nothing else that could be ordered.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int file;

static void* reads(void* unused) {
  char byte;
  (void)!pread(file, &byte, 1, 0);
  (void)!pread(file, &byte, 1, 0);
  return unused;
}
static void* writes(void* unused) {
  (void)!pwrite(file, "x", 1, 0);
  return unused;
}

int main(void) {
  pthread_t one, other;
  file = memfd_create("file", 0);
  pthread_create(&one, 0, reads, 0);
  pthread_create(&other, 0, writes, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  return 0;
}
