// expect: clean
// laws: 5 schedules, each has tens of thousands of steps
// Memory that is handed on under locks (runtime/parallel/terms.h), while the same memory is now and then read, written, copied and sent without
// them. Everything that was seen goes into what is printed.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
enum { kThreads = 4, kGroups = 4, kParts = 6, kRounds = 3000 };
static struct {
  pthread_mutex_t lock;
  struct {
    volatile unsigned long value;
    char text[40], apart[80];
  } part[kParts];
} group[kGroups];
static volatile unsigned long settings[4];  // mostly read
static char raw[256];
static unsigned long seen[kThreads];
static int ends[kThreads][2];
static pthread_barrier_t together;

static unsigned next(unsigned long* state) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(*state >> 33);
}
static void see(unsigned long* hash, unsigned long value) { *hash = (*hash ^ value) * 1099511628211ul; }

static void guarded(unsigned long* dice, unsigned long* hash, int g) {
  pthread_mutex_lock(&group[g].lock);
  for (unsigned i = next(dice) % 4; i < kParts; i += 1 + next(dice) % 2) {
    see(hash, group[g].part[i].value);
    group[g].part[i].value += next(dice) % 8 + settings[i % 4];
    if (next(dice) % 4 == 0) snprintf(group[g].part[i].text, sizeof group[g].part[i].text, "%lu", group[g].part[i].value);
    see(hash, strlen(group[g].part[i].text));
  }
  if (next(dice) % 8 == 0) {  // two locks, in their order
    int other = g + 1 < kGroups ? g + 1 : g;
    if (other != g) pthread_mutex_lock(&group[other].lock);
    memcpy(group[other].part[0].text, group[g].part[1].text, sizeof group[g].part[1].text);
    if (other != g) pthread_mutex_unlock(&group[other].lock);
  }
  pthread_mutex_unlock(&group[g].lock);
}

static void unguarded(unsigned long* dice, unsigned long* hash, int who, int g) {
  unsigned i = next(dice) % kParts;
  switch (next(dice) % 6) {
    case 0: group[g].part[i].value ^= next(dice); break;
    case 1: memmove(raw + next(dice) % 128, raw + next(dice) % 128, 1 + next(dice) % 100); break;
    case 2: settings[i % 4] += who; break;
    case 3:
      if (write(ends[who][1], raw, 60) == 60) see(hash, (unsigned long)read(ends[who][0], raw + 100, 60));
      break;
    default: see(hash, group[g].part[i].value + settings[i % 4] + (unsigned char)raw[next(dice) % 256]);
  }
}

static void* work(void* p) {
  int who = (int)(long)p;
  unsigned long dice = 7919ul * (unsigned long)who + 1, hash = 0;
  pthread_barrier_wait(&together);
  for (int n = 0; n < kRounds; n++) {
    int g = (int)(next(&dice) % kGroups);
    if (next(&dice) % 8)
      guarded(&dice, &hash, g);
    else
      unguarded(&dice, &hash, who, g);
    see(&hash, settings[n % 4]);
  }
  seen[who] = hash;
  return 0;
}

int main(void) {
  pthread_t t[kThreads];
  pthread_barrier_init(&together, 0, kThreads);
  for (int g = 0; g < kGroups; g++) pthread_mutex_init(&group[g].lock, 0);
  for (long i = 0; i < kThreads; i++)
    if (pipe(ends[i])) return 1;
  for (long i = 0; i < kThreads; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  unsigned long sum = 0;
  for (unsigned i = 0; i < sizeof raw; i++) see(&sum, (unsigned char)raw[i]);
  for (int g = 0; g < kGroups; g++)
    for (int i = 0; i < kParts; i++) see(&sum, group[g].part[i].value);
  for (int i = 0; i < kThreads; i++) printf("%lx ", seen[i]);
  printf("%lx\n", sum);
  return 0;
}
