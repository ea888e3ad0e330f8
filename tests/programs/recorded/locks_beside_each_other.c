// expect: clean
// Locks of all kinds of use by four threads: uncontended and contended, tried, waited for with time-outs and conditions, destroyed and
// made again, held at a fork and by a thread that ends. What each thread saw, in its order, is printed at the end.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
enum { kThreads = 4, kLocks = 8, kRounds = 400 };
static pthread_mutex_t locks[kLocks];
static uint64_t guarded[kLocks], seen[kThreads];
static pthread_mutex_t own[kThreads], gate = PTHREAD_MUTEX_INITIALIZER, abandoned = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int turns;
static void see(int me, uint64_t value) { seen[me] = seen[me] * 1099511628211u + value; }
static void use(int me, int k) { see(me, guarded[k] = guarded[k] * 31 + (uint64_t)me); }
static void* work(void* p) {
  int me = (int)(intptr_t)p;
  uint32_t random = 12345u + 77u * (uint32_t)me;
  for (int i = 0; i < kRounds; i++) {
    random = random * 1664525u + 1013904223u;
    int k = (int)(random >> 20) % kLocks;
    switch ((random >> 10) % 8) {
      case 0:
        if (pthread_mutex_trylock(&locks[k]) == 0) {
          use(me, k);
          pthread_mutex_unlock(&locks[k]);
        } else {
          see(me, 1);
        }
        break;
      case 1: {
        struct timespec at;
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_nsec = (at.tv_nsec + 200000) % 1000000000;
        if (pthread_mutex_timedlock(&locks[k], &at) == 0) {
          use(me, k);
          pthread_mutex_unlock(&locks[k]);
        } else {
          see(me, 2);
        }
        break;
      }
      case 2:
        pthread_mutex_lock(&gate);
        turns++;
        pthread_cond_broadcast(&turn);
        see(me, (uint64_t)turns);
        pthread_mutex_unlock(&gate);
        break;
      case 3: {  // two at once, in order
        int m = (k + 1) % kLocks, low = k < m ? k : m, high = k < m ? m : k;
        pthread_mutex_lock(&locks[low]);
        pthread_mutex_lock(&locks[high]);
        use(me, low), use(me, high);
        pthread_mutex_unlock(&locks[low]);
        pthread_mutex_unlock(&locks[high]);
        break;
      }
      case 4:
        pthread_mutex_lock(&own[me]);
        see(me, (uint64_t)i);
        pthread_mutex_unlock(&own[me]);
        if (i % 50 == 0) {
          pthread_mutex_destroy(&own[me]);
          pthread_mutex_init(&own[me], 0);
        }
        break;
      default:
        pthread_mutex_lock(&locks[k]);
        use(me, k);
        pthread_mutex_unlock(&locks[k]);
    }
  }
  if (me == 0) pthread_mutex_lock(&abandoned);
  return 0;
}
static void* waits(void* p) {
  pthread_mutex_lock(&gate);
  while (turns < 20) pthread_cond_wait(&turn, &gate);
  pthread_mutex_unlock(&gate);
  return p;
}
int main(void) {
  pthread_t t[kThreads], w;
  for (int i = 0; i < kLocks; i++) pthread_mutex_init(&locks[i], 0);
  for (int i = 0; i < kThreads; i++) pthread_mutex_init(&own[i], 0);
  pthread_create(&w, 0, waits, 0);
  for (int i = 0; i < kThreads; i++) pthread_create(&t[i], 0, work, (void*)(intptr_t)i);
  pthread_mutex_lock(&own[0]);
  pid_t child = fork();
  if (child == 0) _exit(pthread_mutex_trylock(&own[0]) != 0 ? 7 : 0);  // held there, too
  pthread_mutex_unlock(&own[0]);
  int status = 0;
  waitpid(child, &status, 0);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  pthread_join(w, 0);
  printf("%d %d", WEXITSTATUS(status), pthread_mutex_trylock(&abandoned) != 0);
  for (int i = 0; i < kThreads; i++) printf(" %llx", (unsigned long long)seen[i]);
  printf("\n");
  return 0;
}
