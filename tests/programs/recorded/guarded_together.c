// expect: clean
// laws: 5 schedules, each has 80,000 steps
// What one lock guards changes hands together (runtime/parallel/terms.h), also while a thread without the lock looks at it, and where
// sections of one lock touch different parts. Everything that was seen goes into what is printed.
#include <pthread.h>
#include <stdio.h>
static struct {
  volatile long value;
  char apart[120];
} part[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long seen[4];

static void mix(long who, long value) { seen[who] = (seen[who] ^ (unsigned long)value) * 1099511628211ul; }

static void* guarded(void* p) {
  long who = (long)p;
  for (int i = 0; i < 1500; i++) {
    pthread_mutex_lock(&lock);
    for (int k = 0; k < 6; k++) {
      if ((i >> 6) % 3 == 2 && k % 2) continue;  // now and then some are not needed
      mix(who, part[k].value);
      part[k].value += who + k;
    }
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < (int)who * 7; k++) mix(who, k);
  }
  return 0;
}

static void* beside(void* p) {
  long who = (long)p;
  for (int i = 0; i < 1500; i++) {
    mix(who, part[i % 8].value);
    if (i % 5 == 0) part[(i + 3) % 8].value ^= i;
  }
  return 0;
}

int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, i < 3 ? guarded : beside, (void*)i);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  for (int i = 0; i < 4; i++) printf("%lx ", seen[i]);
  for (int k = 0; k < 8; k++) printf("%ld ", part[k].value);
  printf("\n");
  return 0;
}
