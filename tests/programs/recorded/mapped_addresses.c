// expect: clean
// Threads map, move and unmap memory at the same time, and print where: a replay maps in the same order at the same addresses.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { kThreads = 3, kRounds = 20, kBytes = 65536 };
static uint64_t seen[kThreads];

static void* work(void* p) {
  const long k = (long)p;
  char* last = 0;
  for (int i = 0; i < kRounds; i++) {
    char* one = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (one == MAP_FAILED) abort();
    one[0] = (char)i;
    char* moved = mremap(one, kBytes, 2 * kBytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED || moved[0] != (char)i) abort();
    moved[2 * kBytes - 1] = 1;
    seen[k] = (seen[k] * 31 + (uintptr_t)one) * 31 + (uintptr_t)moved;
    if (last && i % 3) munmap(last, 2 * kBytes);
    last = moved;
  }
  return 0;
}

int main(void) {
  pthread_t t[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(t + i, 0, work, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  printf("%lx %lx %lx\n", seen[0], seen[1], seen[2]);
  return 0;
}
