// Two threads, two atomic steps each, and nothing fails. The steps of the second thread are start, two additions, exit; beside them the first has two
// additions, then waits: 6 over 2 = 15 schedules, and 4 over 2 = 6 orders of the additions. Without a preemption: 1. With one, before either addition of
// the first: 2 more. With two, the second thread being left after 1, 2 or 3 of its steps: 6 more.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void* add(void* unused) {
  counter++;
  counter++;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, add, 0);
  counter++;
  counter++;
  pthread_join(thread, 0);
  return counter != 4;
}
