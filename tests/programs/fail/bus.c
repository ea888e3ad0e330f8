// expect: bus   A mapped file shorter than its mapping.
// alone: SIGBUS
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static void* touches(void* page) {
  *(volatile char*)page = 1;
  return 0;
}
int main(void) {
  int fd = memfd_create("short", 0);
  char* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  pthread_t t;
  pthread_create(&t, 0, touches, page);
  pthread_join(t, 0);
  return 0;
}
