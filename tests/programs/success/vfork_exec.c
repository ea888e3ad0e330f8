// expect: clean   vfork and exec, a failing one too.
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void* runs(void* unused) {
  for (int i = 0; i < 2; i++) {
    int status = 0;
    pid_t pid = vfork();
    if (pid == 0) {
      if (i == 0)
        execl("/bin/true", "true", (char*)0);
      else
        execl("/nonexistent", "nonexistent", (char*)0);
      _exit(3);
    }
    assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == (i ? 3 : 0));
  }
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, runs, 0);
  pthread_join(t, 0);
  return 0;
}
