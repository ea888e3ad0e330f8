// Fails in three ways, depending on who is first, and mostly in none.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int order;

static void* thread(void* number) {
  int expected = (int)(long)number;
  if (atomic_load(&order) == expected) atomic_fetch_add(&order, 1);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) pthread_create(&threads[i], 0, thread, (void*)(2 - i));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  if (order == 3) exit(3);  // in the order in which nobody started them
  if (order == 2) abort();
  return order == 1 ? 1 : 0;
}
