// Lock-heavy: two threads, each takes one of 16 locks at random, adds one to what it guards, and lets go.
#include <pthread.h>
#include <stdlib.h>

enum { kLocks = 16, kApart = 16 };

static pthread_mutex_t lock[kLocks];
static long count[kLocks * kApart];
static int rounds;

static void* work(void* seed) {
  unsigned x = (unsigned)(long)seed;
  for (int i = 0; i < rounds; i++) {
    x = x * 1664525u + 1013904223u;
    unsigned k = x >> 28;
    pthread_mutex_lock(&lock[k]);
    count[k * kApart]++;
    pthread_mutex_unlock(&lock[k]);
  }
  return seed;
}

int main(int argc, char** words) {
  rounds = argc > 1 ? atoi(words[1]) : 1;
  for (int i = 0; i < kLocks; i++) pthread_mutex_init(&lock[i], 0);
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void*)(i * 77 + 1));
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  long sum = 0;
  for (int k = 0; k < kLocks; k++) sum += count[k * kApart];
  return sum != 2L * rounds;
}
