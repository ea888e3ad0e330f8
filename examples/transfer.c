// Two transfers take two locks in opposite order (docs/tour.md).
#include <pthread.h>
struct account {
  pthread_mutex_t lock;
  long money;
};
static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 10}, bob = {PTHREAD_MUTEX_INITIALIZER, 10};

static void transfer(struct account* from, struct account* to, long sum) {
  pthread_mutex_lock(&from->lock);
  pthread_mutex_lock(&to->lock);
  from->money -= sum;
  to->money += sum;
  pthread_mutex_unlock(&to->lock);
  pthread_mutex_unlock(&from->lock);
}
static void* there(void* unused) { return transfer(&alice, &bob, 3), unused; }
static void* back(void* unused) { return transfer(&bob, &alice, 2), unused; }

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, there, 0);
  pthread_create(&b, 0, back, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
