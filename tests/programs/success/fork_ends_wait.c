// expect: clean   A thread waits for a pipe; the child that is made later writes into it.
// laws: none, another process acts
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int p[2];
static void* reads(void* unused) {
  char c;
  assert(read(p[0], &c, 1) == 1 && c == 'x');
  return unused;
}
int main(void) {
  if (pipe(p)) return 0;
  pthread_t t;
  pthread_create(&t, 0, reads, 0);
  const pid_t child = fork();
  if (!child) {
    usleep(20000);
    _exit(write(p[1], "x", 1) != 1);
  }
  pthread_join(t, 0);
  int status;
  assert(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
