"""The programs that the engine is measured with (engine.py)."""
# Four threads, about 500 scheduling points, no failure.
POINTS = r"""
#include <pthread.h>
static pthread_mutex_t m[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static long total[4];
static void* work(void* p) {
  for (int i = 0; i < 60; i++) { int k = (int)(((long)p + i) % 4); pthread_mutex_lock(&m[k]); total[k]++; pthread_mutex_unlock(&m[k]); }
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
"""
# The floor under any backend that makes real threads: fork, four creates, four joins, exit.
FLOOR = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <sched.h>
static void* work(void* p) { return p; }
int main(void) {
  cpu_set_t one; CPU_ZERO(&one); CPU_SET(0, &one); sched_setaffinity(0, sizeof one, &one);
  struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a);
  for (int i = 0; i < 500; i++) {
    pid_t p = fork();
    if (p == 0) { pthread_t t[4]; for (int k = 0; k < 4; k++) pthread_create(&t[k], 0, work, 0); for (int k = 0; k < 4; k++) pthread_join(t[k], 0); _exit(0); }
    waitpid(p, 0, 0);
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%f\n", 500 / ((b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) * 1e-9));
}
"""
STAY = r"""
#include <stdatomic.h>
#include <stdlib.h>
int main(int c, char** v) { (void)c; for (long i = atol(v[1]); i > 0; i--) atomic_thread_fence(memory_order_acquire); return 0; }
"""
SWITCH = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static long count;
static void* work(void* p) { for (long i = 0; i < count; i++) atomic_thread_fence(memory_order_acquire); return p; }
int main(int c, char** v) {
  (void)c; int threads = atoi(v[2]); count = atol(v[1]) / threads;
  pthread_t t[8];
  for (int i = 0; i < threads; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < threads; i++) pthread_join(t[i], 0);
  return 0;
}
"""
CPU = r"""
#include <stdio.h>
#include <stdlib.h>
static unsigned heap[1 << 16];
static void sift(unsigned* h, int n, int i) {
  for (;;) { int c = 2 * i + 1; if (c >= n) return; if (c + 1 < n && h[c + 1] > h[c]) c++; if (h[i] >= h[c]) return; unsigned t = h[i]; h[i] = h[c]; h[c] = t; i = c; }
}
int main(void) {
  unsigned x = 1, sum = 0;
  for (int round = 0; round < 60; round++) {
    for (int i = 0; i < 1 << 16; i++) heap[i] = x = x * 1664525u + 1013904223u;
    for (int i = (1 << 15) - 1; i >= 0; i--) sift(heap, 1 << 16, i);
    for (int n = (1 << 16) - 1; n > 0; n--) { unsigned t = heap[0]; heap[0] = heap[n]; heap[n] = t; sift(heap, n, 0); }
    sum += heap[12345];
  }
  printf("%u\n", sum); return 0;
}
"""
LOCKS = r"""
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n;
static void* work(void* p) { for (int i = 0; i < 4000000; i++) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); } return p; }
int main(void) { work(0); pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return n == 8000000 ? 0 : 1; }
"""
# Values and addresses without a pattern, so that compression has nothing to gain from the program's simplicity.
LONG = r"""
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned cell[4096]; static long count;
static void* work(void* p) {
  unsigned x = (unsigned)(long)p;
  for (long i = 0; i < count; i++) {
    pthread_mutex_lock(&m);
    for (int k = 0; k < 20; k++) { x = x * 1664525u + 1013904223u; cell[x >> 20] = x; }
    pthread_mutex_unlock(&m);
  }
  return p;
}
int main(int c, char** v) {
  (void)c; count = atol(v[1]) / 88; pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  assert(cell[0] == 1); return 0;
}
"""
