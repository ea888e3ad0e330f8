// Two threads open a file; a descriptor's number is used again while its first user has closed it and not yet said so. It fails only when the first one
// is stopped between the two: the same number for two open files is no schedule's work.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int users[64];
static sem_t opened, helped;
static void enter(int fd) {
  pthread_mutex_lock(&m);
  users[fd]++;
  assert(users[fd] == 1);
  pthread_mutex_unlock(&m);
}
static void leave(int fd) {
  pthread_mutex_lock(&m);
  users[fd]--;
  pthread_mutex_unlock(&m);
}
static void* first(void* unused) {
  int fd = open("/dev/null", O_RDONLY);
  enter(fd);
  sem_post(&opened);
  sem_wait(&helped);
  close(fd);
  leave(fd);
  return unused;
}
static void* second(void* unused) {
  int fd = open("/dev/null", O_RDONLY);
  enter(fd);
  leave(fd);
  close(fd);
  return unused;
}
static void* helper(void* unused) {
  sem_wait(&opened);
  sem_post(&helped);
  return unused;
}
int main(void) {
  pthread_t t[3];
  sem_init(&opened, 0, 0);
  sem_init(&helped, 0, 0);
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, helper, 0);
  pthread_create(&t[2], 0, second, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
