// expect: clean
// tsan: none, gcc: ends by std::terminate, with its own libtsan too
// Deferred and asynchronous cancellation: in waits, I/O, sleeps, computations; cleanup handlers, destructors, disabled states.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t never, started;
static int fd[2], cleaned, destroyed;
struct Guard {
  ~Guard() { __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED); }
};
static void unlock(void* mutex) {
  cleaned++;
  pthread_mutex_unlock(static_cast<pthread_mutex_t*>(mutex));
}
static void* in_cond(void*) {
  Guard guard;
  pthread_mutex_lock(&m);
  pthread_cleanup_push(unlock, &m);
  sem_post(&started);
  for (;;) pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(0);
  return nullptr;
}
static void* in_read(void*) {
  Guard guard;
  char byte;
  sem_post(&started);
  for (;;)
    if (read(fd[0], &byte, 1) < 0) return nullptr;
}
static void* in_sem(void*) {
  Guard guard;
  sem_post(&started);
  sem_wait(&never);
  return nullptr;
}
static void* in_sleep(void*) {
  Guard guard;
  sem_post(&started);
  for (;;) sleep(1000);
}
static void* in_loop(void*) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  sem_post(&started);
  for (volatile long i = 0;; i++) {
  }
}
static void* not_now(void*) {
  Guard guard;
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  sem_post(&started);
  usleep(10000);
  pthread_testcancel();
  pthread_setcancelstate(old, nullptr);
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}
int main() {
  sem_init(&never, 0, 0);
  sem_init(&started, 0, 0);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) return 1;
  void* (*what[])(void*) = {in_cond, in_read, in_sem, in_sleep, in_loop, not_now};
  pthread_t t[6];
  for (int i = 0; i < 6; i++) pthread_create(&t[i], nullptr, what[i], nullptr);
  for (int i = 0; i < 6; i++) sem_wait(&started);
  for (int i = 5; i >= 0; i--) pthread_cancel(t[i]);
  for (int i = 0; i < 6; i++) {
    void* result;
    pthread_join(t[i], &result);
    assert(result == PTHREAD_CANCELED);
  }
  assert(cleaned == 1 && destroyed == 5);
  assert(pthread_mutex_trylock(&m) == 0);
}
