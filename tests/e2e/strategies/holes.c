// Small programs whose failing schedule is in a class of its own; the first argument chooses one. Each stands for a kind of
// dependence that dpor once did not see (tests/e2e/dpor.py).
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static sem_t lock, given;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int me;
static int x;
static volatile int racy;
static unsigned racy_seed;
static char buffer[64];
static struct __attribute__((packed)) {
  char before[4];
  volatile long value;
} odd __attribute__((aligned(8)));
static long* block;
static atomic_int own[3];
static int order[3], taken;

// The second can have the lock first only before the first has it: what gives the lock back hides that race.
static void* semaphore_1(void* p) { return sem_wait(&lock), sem_wait(&given), x = 1, sem_post(&lock), p; }
static void* semaphore_2(void* p) { return sem_post(&given), sem_wait(&lock), x = 2, sem_post(&lock), p; }
static void* rwlock_1(void* p) { return pthread_rwlock_wrlock(&rwlock), sem_wait(&given), x = 1, pthread_rwlock_unlock(&rwlock), p; }
static void* rwlock_2(void* p) { return sem_post(&given), pthread_rwlock_wrlock(&rwlock), x = 2, pthread_rwlock_unlock(&rwlock), p; }
static void initialise(void) { sem_wait(&given), x = 3 - me; }
static void* once_1(void* p) { return me = 1, pthread_once(&once, initialise), p; }
static void* once_2(void* p) { return me = 2, sem_post(&given), pthread_once(&once, initialise), p; }
static void* lost_1(void* p) {
  pthread_mutex_lock(&mutex);
  sem_wait(&given);
  pthread_cond_wait(&cond, &mutex);
  pthread_mutex_unlock(&mutex);
  return p;
}
static void* lost_2(void* p) {
  sem_post(&given);
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  return p;
}
static void* fails_1(void* p) { return assert(!"first"), p; }
static void* fails_2(void* p) { return assert(!"second"), p; }
static void* range_1(void* p) { return memset(buffer, 1, sizeof buffer), p; }
static void* range_2(void* p) { return buffer[40] = 2, p; }
static void* wide_1(void* p) { return odd.value = -1, p; }
static void* wide_2(void* p) { return ((volatile char*)&odd)[10] = 2, p; }
static void* freed_1(void* p) { return assert(*block == 7), p; }
static void* freed_2(void* p) { return free(block), p; }
static void* ends(void* p) { return p; }
static void* robust_1(void* p) { return pthread_mutex_lock(&mutex), p; }
static void* robust_2(void* p) { return assert(pthread_mutex_trylock(&mutex) != EBUSY), p; }
// An unlock by who does not hold the lock is refused, at any time: it orders nothing.
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static atomic_int said;
static void* refused_1(void* p) { return said = 1, assert(pthread_mutex_unlock(&checked) == EPERM), p; }
static void* refused_2(void* p) {
  pthread_mutex_lock(&checked);
  int seen = said;
  pthread_mutex_unlock(&checked);
  return assert(seen), p;
}
// From the third yield on a thread gives way to one step of another, whatever that is: only so long can it look in vain.
static atomic_int data, ready;
static void* yields_1(void* p) { return data = 3, ready = 1, data = 1, p; }
static void* yields_2(void* p) {
  int tries = 0;
  while (tries < 4 && !ready) sched_yield(), tries++;
  return assert(tries < 4), p;
}
// It need not wait for anybody, but it is made to.
static void* patient(void* p) {
  for (long i = 0; i < (long)p; i++) sched_yield();
  return ready = 1, p;
}
static void* race_1(void* p) { return racy = 1, p; }
static void* race_2(void* p) { return racy = 2, p; }
static void* neighbour(void* p) {
  const long i = (long)p;
  pthread_mutex_lock(&mutex);
  order[taken++] = (int)i;
  pthread_mutex_unlock(&mutex);
  for (int k = 0; k < 6; k++) own[i]++;
  return 0;
}

static pthread_t threads[3];
static void both(void* (*first)(void*), void* (*second)(void*)) {
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
}
static void join_both(void) { pthread_join(threads[0], 0), pthread_join(threads[1], 0); }
static void run(void* (*first)(void*), void* (*second)(void*)) { both(first, second), join_both(); }

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  sem_init(&lock, 0, 1);
  sem_init(&given, 0, 0);
  if (!strcmp(name, "semaphore")) run(semaphore_1, semaphore_2), assert(x == 2);
  if (!strcmp(name, "rwlock")) run(rwlock_1, rwlock_2), assert(x == 2);
  if (!strcmp(name, "once")) run(once_1, once_2), assert(x == 2);
  if (!strcmp(name, "lost")) run(lost_1, lost_2);
  if (!strcmp(name, "detached")) pthread_create(&threads[0], 0, fails_1, 0), pthread_detach(threads[0]);
  if (!strcmp(name, "keep")) run(fails_1, fails_2);
  if (!strcmp(name, "range")) run(range_1, range_2), assert(buffer[40] == 2);
  if (!strcmp(name, "wide")) run(wide_1, wide_2), assert(((volatile char*)&odd)[10] == 2);
  if (!strcmp(name, "freed")) block = malloc(64), *block = 7, run(freed_1, freed_2);
  if (!strcmp(name, "tryjoin")) both(ends, ends), pthread_join(threads[1], 0), assert(pthread_tryjoin_np(threads[0], 0) == 0);
  if (!strcmp(name, "race")) run(race_1, race_2), assert(racy == 2);
  if (!strcmp(name, "refused")) run(refused_1, refused_2);
  if (!strcmp(name, "patient")) {
    pthread_create(&threads[0], 0, patient, (void*)atol(argv[2]));
    data = 1;
    assert(!ready);
    pthread_join(threads[0], 0);
  }
  if (!strcmp(name, "yields")) run(yields_1, yields_2);
  if (!strcmp(name, "random")) getrandom(&racy_seed, 4, 0), run(race_1, race_1);
  if (!strcmp(name, "calm")) {
    FILE* file = fopen(argv[0], "r");
    block = malloc(64), fread(block, 1, 64, file), fclose(file);
    printf("%lx\n", *block), run(race_1, race_1), free(block);
  }
  if (!strcmp(name, "device")) {
    int device = open("/dev/urandom", O_RDONLY);
    (void)!read(device, &racy_seed, 4);
    close(device), run(race_1, race_1);
  }
  if (!strcmp(name, "robust")) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    run(robust_1, robust_2);
  }
  if (!strcmp(name, "neighbours") || !strcmp(name, "late")) {
    for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, neighbour, (void*)i);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    if (!strcmp(name, "late")) assert(!(order[0] == 2 && order[1] == 1));
  }
}
