// expect: deadlock   Two readers both want to become the writer.
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void* upgrades(void* unused) {
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_wrlock(&l);
  pthread_rwlock_unlock(&l);
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, upgrades, 0);
  pthread_create(&b, 0, upgrades, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
