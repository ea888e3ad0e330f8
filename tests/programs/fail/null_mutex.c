// expect: segfault   A lock that was never made is locked: it fails there, before the critical section, as it does in libc.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t* mutex;
static int inside;
static void* enters(void* unused) {
  pthread_mutex_lock(mutex);
  inside++;
  assert(!"behind the lock");
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, enters, 0);
  pthread_join(t, 0);
  return inside;
}
