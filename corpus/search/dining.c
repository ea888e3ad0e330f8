// expect: deadlock
// SCTBench CS.din_phil: five philosophers, each takes the left fork first.
#include "threads.h"
enum { kSeats = 5 };
static pthread_mutex_t forks[kSeats];
static int meals;

static void* eat(void* arg) {
  long left = (long)arg, right = (left + 1) % kSeats;
  LOCK(forks[left]);
  LOCK(forks[right]);  // FAILS
  __atomic_fetch_add(&meals, 1, __ATOMIC_SEQ_CST);
  UNLOCK(forks[right]);
  UNLOCK(forks[left]);
  return NULL;
}
int main(void) {
  for (long i = 0; i < kSeats; i++) pthread_mutex_init(&forks[i], NULL);
  for (long i = 0; i < kSeats; i++) start(eat, (void*)i);
  join_all();
  assert(meals == kSeats);
}
