// expect: clean race
// runs: 100
// Two pairs of threads meet at the same barrier, one pair after the other: the second meeting orders nothing that the first pair
// did after its own. (A flag without order keeps the pairs apart.)
#include <pthread.h>
#include <stdatomic.h>
static pthread_barrier_t barrier;
static atomic_int first_left;
static int data;
static void* first(void* writes) {
  pthread_barrier_wait(&barrier);
  if (writes) data = 1;
  atomic_fetch_add_explicit(&first_left, 1, memory_order_relaxed);
  return 0;
}
static void* second(void* reads) {
  while (atomic_load_explicit(&first_left, memory_order_relaxed) < 2) {}
  pthread_barrier_wait(&barrier);
  return reads ? (void*)(long)data : 0;
}
int main() {
  pthread_t t[4];
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, first, &data);
  pthread_create(&t[2], 0, second, 0);
  pthread_create(&t[3], 0, second, &data);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  return 0;
}
