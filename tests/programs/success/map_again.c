// expect: clean   Each thread maps, writes and unmaps a page: the kernel hands out the same addresses again.
#include <pthread.h>
#include <sys/mman.h>
static void* maps(void* unused) {
  for (int i = 0; i < 3; i++) {
    int* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = i;
    munmap(page, 4096);
  }
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, maps, 0);
  pthread_create(&b, 0, maps, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
