// expect: clean
// Every function of <threads.h>.
#include <assert.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
static mtx_t plain, timed, recursive;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static thread_local int own;
static int made, ready, sum, freed;
static void make(void) { made++; }
static void drop(void* p) {
  mtx_lock(&plain);
  freed++;
  mtx_unlock(&plain);
  free(p);
}
static int works(void* argument) {
  call_once(&once, make);
  own = *(int*)argument;
  int* mine = malloc(sizeof *mine);
  *mine = own;
  assert(tss_set(slot, mine) == thrd_success && tss_get(slot) == mine);
  mtx_lock(&plain);
  while (!ready) cnd_wait(&changed, &plain);
  sum += own;
  mtx_unlock(&plain);
  struct timespec at;
  timespec_get(&at, TIME_UTC);
  at.tv_sec += 100;
  assert(mtx_timedlock(&timed, &at) == thrd_success);
  thrd_yield();
  mtx_unlock(&timed);
  mtx_lock(&recursive);
  assert(mtx_trylock(&recursive) == thrd_success);
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);
  if (own == 2) thrd_exit(20);
  return own;
}
static int detached(void* unused) {
  (void)unused;
  mtx_lock(&plain);
  sum += 100;
  cnd_signal(&changed);
  mtx_unlock(&plain);
  return 0;
}
int main(void) {
  mtx_init(&plain, mtx_plain);
  mtx_init(&timed, mtx_timed);
  mtx_init(&recursive, mtx_plain | mtx_recursive);
  cnd_init(&changed);
  tss_create(&slot, drop);
  thrd_t t[3];
  int n[3] = {1, 2, 3}, result[3];
  for (int i = 0; i < 3; i++) assert(thrd_create(&t[i], works, &n[i]) == thrd_success);
  assert(thrd_equal(t[0], t[0]) && !thrd_equal(t[0], thrd_current()));
  mtx_lock(&plain);
  struct timespec at;
  timespec_get(&at, TIME_UTC);
  at.tv_nsec = at.tv_nsec / 2;
  int early = cnd_timedwait(&changed, &plain, &at);
  assert(early == thrd_timedout);
  ready = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&plain);
  for (int i = 0; i < 3; i++) thrd_join(t[i], &result[i]);
  assert(result[0] == 1 && result[1] == 20 && result[2] == 3 && made == 1 && freed == 3);
  thrd_t d;
  thrd_create(&d, detached, NULL);
  thrd_detach(d);
  mtx_lock(&plain);
  while (sum < 106) cnd_wait(&changed, &plain);
  mtx_unlock(&plain);
  struct timespec nap = {0, 1000};
  thrd_sleep(&nap, NULL);
  tss_delete(slot);
  assert(mtx_trylock(&plain) == thrd_success && mtx_trylock(&timed) == thrd_success && mtx_trylock(&timed) == thrd_busy);
  return 0;
}
