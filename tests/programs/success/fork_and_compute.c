// expect: clean   The child of a fork runs instrumented code at full speed: no access of it is a point.
// hunt: --points all
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sum;
static void* waits(void* unused) { return unused; }
int main(void) {
  pthread_t t;
  int status = 0;
  pthread_create(&t, 0, waits, 0);
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 300000; i++) sum += i & 1;
    _exit(sum == 150000 ? 7 : 8);
  }
  assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
  pthread_join(t, 0);
  return 0;
}
