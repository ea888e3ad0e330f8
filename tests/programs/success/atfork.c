// expect: clean   pthread_atfork handlers lock, as libraries do; the child leaves by exit.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void before(void) { pthread_mutex_lock(&m); }
static void after(void) { pthread_mutex_unlock(&m); }
static void* locks(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    free(malloc(100));
    pthread_mutex_unlock(&m);
  }
  return unused;
}
int main(void) {
  pthread_t t;
  int status = 0;
  pthread_atfork(before, after, after);
  pthread_create(&t, 0, locks, 0);
  pid_t pid = fork();
  if (pid == 0) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    puts("child");
    exit(4);
  }
  assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
  pthread_join(t, 0);
  return 0;
}
