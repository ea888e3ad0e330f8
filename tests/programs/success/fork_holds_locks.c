// expect: clean   What other threads hold at the fork is held in the child, by nobody who could let it go.
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, mine = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t held, go;
static void* holds(void* unused) {
  pthread_mutex_lock(&m);
  pthread_rwlock_rdlock(&rw);
  sem_post(&held);
  sem_wait(&go);
  pthread_rwlock_unlock(&rw);
  pthread_mutex_unlock(&m);
  return unused;
}
static int child(void) {
  if (pthread_mutex_trylock(&m) == 0) return 1;
  if (pthread_rwlock_trywrlock(&rw) == 0) return 2;
  int value;
  sem_getvalue(&held, &value);
  if (value != 0) return 3;
  if (pthread_mutex_unlock(&mine) != 0 || pthread_mutex_trylock(&mine) != 0) return 4;
  return 0;
}
int main(void) {
  sem_init(&held, 0, 0);
  sem_init(&go, 0, 0);
  pthread_t t;
  pthread_create(&t, 0, holds, 0);
  sem_wait(&held);
  pthread_mutex_lock(&mine);
  pid_t pid = fork();
  if (pid == 0) _exit(child());
  pthread_mutex_unlock(&mine);
  int status;
  waitpid(pid, &status, 0);
  sem_post(&go);
  pthread_join(t, 0);
  return WEXITSTATUS(status);
}
