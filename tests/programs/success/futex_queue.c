// expect: clean
// A bounded queue on nothing but the futex system call: wait, wake, bitset, requeue, and a lock with three states.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static atomic_uint lock_word, items, space = 2, gate, second_gate;
static int queue[2], head, tail, sum;
static long futex(atomic_uint* word, int op, unsigned value, void* timeout, void* second, unsigned third) {
  return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, timeout, second, third);
}
static void lock(void) {
  unsigned old = 0;
  if (atomic_compare_exchange_strong(&lock_word, &old, 1)) return;
  if (old != 2) old = atomic_exchange(&lock_word, 2);
  while (old) {
    futex(&lock_word, FUTEX_WAIT, 2, NULL, NULL, 0);
    old = atomic_exchange(&lock_word, 2);
  }
}
static void unlock(void) {
  if (atomic_exchange(&lock_word, 0) == 2) futex(&lock_word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
static void take(atomic_uint* count) {
  for (;;) {
    unsigned n = atomic_load(count);
    while (n)
      if (atomic_compare_exchange_weak(count, &n, n - 1)) return;
    struct timespec limit = {1, 0};
    futex(count, FUTEX_WAIT, 0, &limit, NULL, 0);
  }
}
static void give(atomic_uint* count) {
  atomic_fetch_add(count, 1);
  futex(count, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0xff);
}
static void* produces(void* unused) {
  while (!atomic_load(&gate)) futex(&gate, FUTEX_WAIT_BITSET, 0, NULL, NULL, 1);
  for (int i = 1; i <= 4; i++) {
    take(&space);
    lock();
    queue[tail++ % 2] = i;
    unlock();
    give(&items);
  }
  return unused;
}
static void* consumes(void* unused) {
  for (int i = 0; i < 4; i++) {
    take(&items);
    lock();
    sum += queue[head++ % 2];
    unlock();
    give(&space);
  }
  return unused;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, i < 2 ? produces : consumes, NULL);
  atomic_store(&gate, 1);
  long moved = futex(&gate, FUTEX_CMP_REQUEUE, 1, (void*)10, &second_gate, 1);
  assert(moved >= 0 && moved <= 2);
  futex(&second_gate, FUTEX_WAKE, 10, NULL, NULL, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  assert(sum == 20);
  assert(futex(&gate, FUTEX_WAIT, 0, NULL, NULL, 0) == -1 && errno == EAGAIN);
  return 0;
}
