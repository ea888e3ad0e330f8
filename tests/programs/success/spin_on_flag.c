// expect: clean race
// laws: none, with every access a point each run has millions of steps
// runs: 5
// Threads that wait for plain flags while the others work, for long or asleep: slow, but no livelock.
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>
static volatile bool first, second, third;
static int value;
static long table[8];
static void* waits_and_tells(void* unused) {
  while (!first) {
  }
  for (int i = 0; i < 500000; i++) value++;
  second = true;
  while (!third) {
  }
  return unused;
}
static void* sleeps(void* unused) {
  sleep(5);
  first = true;
  while (!second) {
  }
  sleep(1);
  third = true;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waits_and_tells, 0);
  pthread_create(&b, 0, sleeps, 0);
  long sum = 0;
  for (long i = 0; i < 3000000; i++) sum += table[i % 8];
  while (!third) {
  }
  pthread_join(a, 0);
  pthread_join(b, 0);
  return sum == -1;
}
