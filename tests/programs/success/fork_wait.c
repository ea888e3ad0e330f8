// expect: clean   A child forked by a thread is on its own, with threads of its own; its status comes back.
// laws: 50 schedules, each forks
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void* add(void* unused) {
  pthread_mutex_lock(&m);
  n++;
  pthread_mutex_unlock(&m);
  return unused;
}
static void* forks(void* unused) {
  pid_t pid = fork();
  if (pid == 0) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    pthread_join(t, 0);
    _exit(7);
  }
  int status = 0;
  assert(waitpid(pid, &status, 0) == pid);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, forks, 0);
  pthread_create(&b, 0, forks, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
