// expect: clean
// laws: 2 schedules, each has thousands of steps
// The process ends while other threads are where they are: in a section of a lock, in a hook, waiting for the runtime, in a function without hooks that
// locks. A replay lets them come so far and no further: main has read what they had written before, and what they had not.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { kParts = 4, kRounds = 300 };
static struct { volatile unsigned long value, apart[7]; } part[kParts] __attribute__((aligned(64)));
static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int take(pthread_mutex_t* m);
int give(pthread_mutex_t* m);
__asm__(
    ".globl take, give\n"
    "take: jmp pthread_mutex_lock@PLT\n"
    "give: jmp pthread_mutex_unlock@PLT\n");
static unsigned long mix(unsigned long hash, unsigned long value) { return (hash ^ value) * 1099511628211ul; }

static void* work(void* p) {
  unsigned long dice = 88172645463325252ul + (unsigned long)p * 7777;
  for (;;) {
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    const int i = (int)(dice % 3);
    if ((dice >> 8) % 3 == 0) {
      part[3].value = mix(part[3].value, part[i].value);
    } else {
      const int outside = (int)(dice >> 16) % 2;
      outside ? take(&lock[i]) : pthread_mutex_lock(&lock[i]);
      part[i].value = mix(part[i].value, dice);
      outside ? give(&lock[i]) : pthread_mutex_unlock(&lock[i]);
    }
  }
  return 0;
}

int main(void) {
  static unsigned long seen[kRounds][kParts];
  pthread_t t;
  for (long i = 0; i < 3; i++) pthread_create(&t, 0, work, (void*)i);
  for (int n = 0; n < kRounds; n++) {
    for (int i = 0; i < kParts; i++) seen[n][i] = part[i].value;
    if (n % 3 == 0) {
      pthread_mutex_lock(&lock[n % 2]);
      part[n % 2].value = mix(part[n % 2].value, (unsigned long)n);
      pthread_mutex_unlock(&lock[n % 2]);
    }
    if (n % 10 != 9) continue;
    for (int k = n - 9; k <= n; k++)
      for (int i = 0; i < kParts; i++) {
        char line[60];
        const int bytes = snprintf(line, sizeof line, "%d %d %lx\n", k, i, seen[k][i]);
        if (write(1, line, (size_t)bytes) != bytes) return 1;
      }
  }
  exit(0);
}
