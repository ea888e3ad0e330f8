// expect: clean race
// Locks that are taken and released by functions without a hook, as those of another module that only lock: the thread counts as outside the
// program's code meanwhile, takes its steps without the baton all the same, and others take its memory away beside that. What each saw is printed,
// and is the same in the replay of a recording.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

int take(pthread_mutex_t* m);
int try(pthread_mutex_t* m);
int give(pthread_mutex_t* m);
int give_slowly(pthread_mutex_t* m);
__asm__(
    ".globl take, try, give, give_slowly\n"
    "take: jmp pthread_mutex_lock@PLT\n"
    "try:  jmp pthread_mutex_trylock@PLT\n"
    "give: jmp pthread_mutex_unlock@PLT\n"
    "give_slowly:\n"
    "   push %rdi\n"
    "   call pthread_mutex_unlock@PLT\n"
    "   mov $3000, %ecx\n"  // outside, with nothing held
    "1: dec %ecx\n"
    "   jg 1b\n"
    "   pop %rdi\n"
    "   ret\n");

enum { kThreads = 3, kLocks = 2, kRounds = 400 };
static pthread_mutex_t locks[kLocks] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t own[kThreads] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct {
  volatile uint64_t value;
  char apart[120];
} guarded[kLocks], racy[4];
static uint64_t seen[kThreads];
static void see(int me, uint64_t value) { seen[me] = seen[me] * 1099511628211u + value; }

static void* work(void* p) {
  int me = (int)(intptr_t)p;
  uint32_t random = 4711u + 99u * (uint32_t)me;
  for (int i = 0; i < kRounds; i++) {
    random = random * 1664525u + 1013904223u;
    int k = (int)(random >> 24) % kLocks, r = (int)(random >> 16) % 4;
    see(me, racy[r].value);
    take(&own[me]);  // nobody else's: a step, and nothing but a step
    racy[r].value = racy[r].value + 1;
    give_slowly(&own[me]);
    if ((random >> 12) % 4 == 0) {
      if (try(&locks[k]) != 0) {
        see(me, 1);
        continue;
      }
    } else {
      take(&locks[k]);
    }
    see(me, guarded[k].value = guarded[k].value * 31 + (uint64_t)me);
    racy[(r + 1) % 4].value = (uint64_t)i;
    (random >> 10) % 2 ? give(&locks[k]) : give_slowly(&locks[k]);
    see(me, racy[(r + 2) % 4].value);
  }
  return 0;
}

int main(void) {
  pthread_t t[kThreads];
  for (intptr_t i = 0; i < kThreads; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  for (int i = 0; i < kThreads; i++) printf("%016lx\n", seen[i]);
  return 0;
}
