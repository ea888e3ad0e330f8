// expect: exit   Read, add, write of a number in a file, without a lock: every step is a system call.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int file;
static void* adds(void* unused) {
  char text[16] = {0};
  (void)!pread(file, text, 15, 0);
  int length = sprintf(text, "%d", atoi(text) + 1);
  (void)!pwrite(file, text, (size_t)length, 0);
  return unused;
}
int main(void) {
  char name[] = "/tmp/heddle-file-update-XXXXXX", text[16] = {0};
  file = mkstemp(name);
  unlink(name);
  (void)!pwrite(file, "0", 1, 0);
  pthread_t a, b;
  pthread_create(&a, 0, adds, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  (void)!pread(file, text, 15, 0);
  return atoi(text) != 2;
}
