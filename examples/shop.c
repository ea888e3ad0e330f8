// A shop with one item in stock. Testing for the item and taking it are two critical sections (README.md, docs/tour.md).
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static int in_stock(void) {
  pthread_mutex_lock(&m);
  int n = stock;
  pthread_mutex_unlock(&m);
  return n > 0;
}

static void* buy(void* unused) {
  if (in_stock()) {
    pthread_mutex_lock(&m);
    stock--;
    assert(stock >= 0);
    pthread_mutex_unlock(&m);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, buy, 0);
  pthread_create(&b, 0, buy, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
