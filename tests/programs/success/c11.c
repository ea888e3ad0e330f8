// expect: clean   C11 threads.
#include <assert.h>
#include <threads.h>
static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int inits, ready, freed;
static void init(void) { inits++; }
static void release(void* p) {
  (void)p;
  mtx_lock(&m);
  freed++;
  mtx_unlock(&m);
}
static int work(void* unused) {
  (void)unused;
  call_once(&once, init);
  tss_set(key, &m);
  mtx_lock(&m);
  while (!ready) cnd_wait(&c, &m);
  mtx_unlock(&m);
  if (mtx_trylock(&m) == thrd_success) mtx_unlock(&m);
  thrd_yield();
  thrd_exit(7);
}
int main(void) {
  thrd_t a, b;
  int x = 0, y = 0;
  mtx_init(&m, mtx_plain);
  cnd_init(&c);
  tss_create(&key, release);
  thrd_create(&a, work, 0);
  thrd_create(&b, work, 0);
  thrd_sleep(&(struct timespec){1, 0}, 0);
  mtx_lock(&m);
  ready = 1;
  cnd_broadcast(&c);
  mtx_unlock(&m);
  thrd_join(a, &x);
  thrd_join(b, &y);
  assert(x == 7 && y == 7 && inits == 1 && freed == 2);
  return 0;
}
