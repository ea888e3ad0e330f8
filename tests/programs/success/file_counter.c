// expect: clean   A file of a fixed name, under a lock: runs beside each other must not meet in it.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* adds(void* unused) {
  char text[16] = {0};
  pthread_mutex_lock(&lock);
  int file = open("counter.txt", O_RDWR);
  (void)!pread(file, text, 15, 0);
  int length = sprintf(text, "%d", atoi(text) + 1);
  (void)!pwrite(file, text, (size_t)length, 0);
  close(file);
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  char text[16] = {0};
  int file = open("counter.txt", O_CREAT | O_TRUNC | O_RDWR, 0644);
  (void)!write(file, "0", 1);
  pthread_t a, b;
  pthread_create(&a, 0, adds, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  (void)!pread(file, text, 15, 0);
  return atoi(text) != 2;
}
