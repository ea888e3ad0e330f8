// expect: clean
// laws: none, memory shared with another process is not recorded
// record: none, memory shared with another process is not recorded
// runs: 10
// Children by fork, vfork, posix_spawn and system beside threads; shared anonymous memory; process-shared primitives between them.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
struct Shared {
  sem_t ping, pong;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_barrier_t barrier;
  int value, rounds;
};
static pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void* counts(void* unused) {
  for (int i = 0; i < 5; i++) {
    pthread_mutex_lock(&local);
    counter++;
    pthread_mutex_unlock(&local);
  }
  return unused;
}
static void child(struct Shared* s) {
  for (int i = 0; i < 3; i++) {
    sem_wait(&s->ping);
    s->rounds++;
    sem_post(&s->pong);
  }
  usleep(20000);
  pthread_mutex_lock(&s->mutex);
  s->value = 5;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->mutex);
  pthread_barrier_wait(&s->barrier);
  _exit(3);
}
int main(void) {
  struct Shared* s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(&s->ping, 1, 0);
  sem_init(&s->pong, 1, 0);
  pthread_mutexattr_t ma;
  pthread_mutexattr_init(&ma);
  pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&s->mutex, &ma);
  pthread_condattr_t ca;
  pthread_condattr_init(&ca);
  pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&s->changed, &ca);
  pthread_barrierattr_t ba;
  pthread_barrierattr_init(&ba);
  pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&s->barrier, &ba, 2);
  pthread_t t;
  pthread_create(&t, NULL, counts, NULL);
  pid_t pid = fork();
  if (pid == 0) child(s);
  for (int i = 0; i < 3; i++) {
    sem_post(&s->ping);
    sem_wait(&s->pong);
  }
  assert(s->rounds == 3);
  pthread_mutex_lock(&s->mutex);
  while (s->value != 5) pthread_cond_wait(&s->changed, &s->mutex);
  pthread_mutex_unlock(&s->mutex);
  pthread_barrier_wait(&s->barrier);
  int status;
  assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
  pid = vfork();
  if (pid == 0) _exit(4);
  assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
  char* args[] = {"sh", "-c", "exit 6", NULL};
  assert(posix_spawn(&pid, "/bin/sh", NULL, NULL, args, environ) == 0);
  assert(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 6);
  status = system("exit 7");
  assert(WEXITSTATUS(status) == 7);
  pthread_join(t, NULL);
  assert(counter == 5);
  return 0;
}
