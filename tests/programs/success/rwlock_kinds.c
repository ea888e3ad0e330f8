// expect: clean
// Reader- and writer-preferring rwlocks, tries, recursion of readers, errors; spinlocks with tries.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_rwlock_t prefers_writer, prefers_reader = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int a, b, spun;
static void* reads(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_rwlock_rdlock(&prefers_reader);
    assert(pthread_rwlock_tryrdlock(&prefers_reader) == 0);  // readers may nest here
    assert(pthread_rwlock_trywrlock(&prefers_reader) == EBUSY);
    int seen = a;
    pthread_rwlock_unlock(&prefers_reader);
    assert(seen == a);
    pthread_rwlock_unlock(&prefers_reader);
    pthread_rwlock_rdlock(&prefers_writer);
    seen = b;
    pthread_rwlock_unlock(&prefers_writer);
  }
  return unused;
}
static void* writes(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_rwlock_wrlock(&prefers_reader);
    a++;
    assert(pthread_rwlock_tryrdlock(&prefers_reader) == EBUSY);
    pthread_rwlock_unlock(&prefers_reader);
    while (pthread_rwlock_trywrlock(&prefers_writer)) sched_yield();
    b++;
    pthread_rwlock_unlock(&prefers_writer);
  }
  return unused;
}
static void* spins(void* unused) {
  for (int i = 0; i < 3; i++) {
    if (pthread_spin_trylock(&spin)) pthread_spin_lock(&spin);
    assert(pthread_spin_trylock(&spin) == EBUSY);
    spun++;
    pthread_spin_unlock(&spin);
  }
  return unused;
}
int main(void) {
  pthread_rwlockattr_t attr;
  pthread_rwlockattr_init(&attr);
  pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&prefers_writer, &attr);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_t t[6];
  void* (*what[])(void*) = {reads, writes, reads, writes, spins, spins};
  for (int i = 0; i < 6; i++) pthread_create(&t[i], NULL, what[i], NULL);
  for (int i = 0; i < 6; i++) pthread_join(t[i], NULL);
  assert(a == 6 && b == 6 && spun == 6);
  pthread_spin_destroy(&spin);
  return pthread_rwlock_destroy(&prefers_writer);
}
