// expect: clean race
// A struct is copied while another thread writes it: the copy is one access, with two hooks. A buffer is reused as soon as the other end of a pipe
// has what was in it: what was written is what the replay of a recording writes.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
enum { kRounds = 2000, kBytes = 64 };
struct Big {
  long word[64];
};
static struct Big shared;
static volatile int done;
static int there[2], back[2];
static char buffer[kBytes];
static void* writes(void* p) {
  for (long n = 1; !done; n++)
    for (int i = 0; i < 64; i++) shared.word[i] = n;
  return p;
}
static void* echoes(void* p) {
  char got[kBytes];
  for (int i = 0; i < kRounds; i++) {
    if (read(there[0], got, kBytes) != kBytes) return NULL;
    buffer[50] = (char)i;
    if (write(back[1], "", 1) != 1) return NULL;
  }
  return p;
}
int main(void) {
  pthread_t w, e;
  uint64_t seen = 0;
  if (pipe(there) || pipe(back)) return 1;
  pthread_create(&w, NULL, writes, NULL);
  pthread_create(&e, NULL, echoes, NULL);
  for (int i = 0; i < kRounds; i++) {
    struct Big local = shared;
    for (int k = 0; k < 64; k++) seen = seen * 1099511628211u + (uint64_t)local.word[k];
    char byte;
    if (write(there[1], buffer, kBytes) != kBytes || read(back[0], &byte, 1) != 1) return 2;
  }
  done = 1;
  pthread_join(w, NULL);
  pthread_join(e, NULL);
  printf("%016lx\n", seen);
  return 0;
}
