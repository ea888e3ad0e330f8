// expect: clean race   cflags: -O0
// A struct is copied while another thread writes its members, one at a time: the copy is one access, though it has two hooks.
// What it had in it is printed, and is the same in the replay of a recording.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
enum { kMembers = 64, kCopies = 8000 };
struct Big {
  long member[kMembers];
};
static struct Big shared;
static volatile int done;
static void* writes(void* p) {
  for (long n = 0; !done; n++) {
    shared.member[n % kMembers] = n;
    for (int i = 0; i < (n % 7) * 40; i++) __asm__ volatile("pause");
  }
  return p;
}
static __attribute__((noinline)) uint64_t sum(const struct Big* b) {
  uint64_t s = 0;
  for (int i = 0; i < kMembers; i++) s += (uint64_t)b->member[i] * (uint64_t)(i + 1);
  return s;
}
int main(void) {
  pthread_t t;
  uint64_t seen = 0;
  pthread_create(&t, NULL, writes, NULL);
  for (int i = 0; i < kCopies; i++) {
    struct Big copy = shared;
    seen = seen * 31 + sum(&copy);
  }
  done = 1;
  pthread_join(t, NULL);
  printf("%016lx\n", seen);
  return 0;
}
