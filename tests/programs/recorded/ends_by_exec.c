// expect: clean
// The process is replaced by another program while threads run: a replay gets as far as that, and no thread further than it had come.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long shared = 1;

static void* work(void* p) {
  for (;;) shared = shared * 31 + 1;
  return p;
}

int main(void) {
  pthread_t t;
  unsigned long seen = 0;
  pthread_create(&t, 0, work, 0);
  for (int i = 0; i < 1000; i++) seen = seen * 7 + shared;
  printf("%lx\n", seen);
  fflush(stdout);
  if (seen || shared) execl("/bin/true", "true", (char*)0);
  return 3;
}
