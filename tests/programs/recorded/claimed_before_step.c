// expect: clean
// laws: 1 schedule, it waits for its timetable
// Two stripes of one copy: the first is claimed behind a step of another thread, the second makes the copier wait before it has a step of its own.
// Who takes the first one meanwhile comes behind that other step, not behind the copier's last one. By a timetable, since it needs an order
// of events that hardly ever comes by itself:
//   copier    lock (1)                       copies both: sleeps for the second
//   late               lock (2)                                                 reads the first
//   writer                      writes it (3)
//   holder    has the second one, and executes nothing that could be stopped until the end of the round
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
enum { kRounds = 10, kSlots = 8, kSlotNs = 6000000 };
static struct { volatile unsigned long value[8]; } stripe[2] __attribute__((aligned(64)));
static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static unsigned long copied, read_late, ticks_per_slot, start;

// No input of the program, and no hooks: the bytes of rdtsc. A replay passes.
static unsigned long ticks(void) {
  unsigned low, high;
  __asm__ volatile(".byte 0x0f, 0x31" : "=a"(low), "=d"(high));
  return (unsigned long)high << 32 | low;
}
static __attribute__((noinline)) void until(int round, int half_slot) {
  const unsigned long time = start + (unsigned long)(round * kSlots * 2 + half_slot) * ticks_per_slot / 2;
  __asm__ volatile("1: .byte 0x0f, 0x31; shl $32, %%rdx; or %%rdx, %%rax; pause; cmp %0, %%rax; jb 1b" : : "r"(time) : "rax", "rdx", "cc");
}

static unsigned long mix(unsigned long hash, unsigned long value) { return (hash ^ value) * 1099511628211ul; }
static void step(int i) {
  pthread_mutex_lock(&lock[i]);
  pthread_mutex_unlock(&lock[i]);
}

static void* writer(void* p) {
  for (int i = 0; i < kRounds; i++) {
    until(i, 4);
    pthread_mutex_lock(&lock[0]);
    stripe[0].value[0]++;
    pthread_mutex_unlock(&lock[0]);
  }
  return p;
}
static void* copier(void* p) {
  char copy[sizeof stripe];
  for (int i = 0; i < kRounds; i++) {
    until(i, 0);
    step(1);
    until(i, 6);
    memcpy(copy, (void*)stripe, sizeof copy);
    unsigned long first;
    memcpy(&first, copy, sizeof first);
    copied = mix(copied, first);
  }
  return p;
}
static void* late(void* p) {
  for (int i = 0; i < kRounds; i++) {
    until(i, 2);
    step(2);
    until(i, 8);
    read_late = mix(read_late, stripe[0].value[0]);
  }
  return p;
}
static void* holder(void* p) {
  for (int i = 0; i < kRounds; i++) {
    until(i, 1);
    stripe[1].value[0]++;
    until(i, 12);
    stripe[1].value[1]++;
  }
  return p;
}

int main(void) {
  void* (*const functions[])(void*) = {writer, copier, late, holder};
  pthread_t thread[4];
  for (int i = 0; i < 3; i++) step(i);
  const unsigned long before = ticks();
  struct timespec nap = {0, 20000000};
  nanosleep(&nap, 0);
  ticks_per_slot = (ticks() - before) * (kSlotNs / 1000000) / 20;
  start = ticks();
  for (int i = 0; i < 4; i++) pthread_create(&thread[i], 0, functions[i], 0);
  for (int i = 0; i < 4; i++) pthread_join(thread[i], 0);
  printf("%lx %lx %lu\n", copied, read_late, stripe[0].value[0]);
  return 0;
}
