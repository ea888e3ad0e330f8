// expect: clean
// A child of clone(CLONE_VM | CLONE_VFORK) runs in our memory with the thread-local storage of its creator, and is not it: what it calls
// (write and _exit have names of ours) is not recorded as if its creator had called it.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static char stack[65536] __attribute__((aligned(16)));
static int ends[2];

static int child(void* p) {
  (void)p;
  _exit(write(ends[1], "child\n", 6) == 6 ? 7 : 3);
}
static void* beside(void* p) {
  volatile long x = 0;
  for (int i = 0; i < 100000; i++) x++;
  return p;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, beside, 0);
  if (pipe(ends)) return 1;
  const int pid = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
  int status = 0;
  char text[64];
  waitpid(pid, &status, 0);
  const int n = (int)read(ends[0], text, sizeof text);
  printf("%d, %d bytes: %.*s", WEXITSTATUS(status), n, n, text);
  fflush(stdout);
  if (write(1, "end\n", 4) != 4) return 2;
  pthread_join(t, 0);
  return 0;
}
