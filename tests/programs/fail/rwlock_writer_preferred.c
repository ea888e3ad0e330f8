// expect: deadlock   A writer-preferring lock, read-locked twice, and a writer comes in between.
#define _GNU_SOURCE
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static void* reads(void* unused) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}
static void* writes(void* unused) {
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, reads, 0);
  pthread_create(&b, 0, writes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
