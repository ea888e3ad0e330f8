// expect: segfault
// radbench: a service is torn down while a request that was accepted before still waits for its turn.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int accepted, served, down, *context;

static void* client(void* arg) {
  LOCK(m);
  if (down) {
    UNLOCK(m);
    return arg;
  }
  int mine = accepted++;
  UNLOCK(m);
  LOCK(m);
  while (served != mine) pthread_cond_wait(&turn, &m);
  *context += 1;  // FAILS
  served++;
  pthread_cond_broadcast(&turn);
  UNLOCK(m);
  return arg;
}
static void* tear_down(void* arg) {
  LOCK(m);
  down = 1;
  while (served == 0) pthread_cond_wait(&turn, &m);  // for one of them, not for all
  context = NULL;
  UNLOCK(m);
  return arg;
}
int main(void) {
  static int counter;
  context = &counter;
  LOCK(m);
  accepted = 0;
  UNLOCK(m);
  start(client, NULL);
  start(client, NULL);
  start(client, NULL);
  LOCK(m);
  while (!served) pthread_cond_wait(&turn, &m);
  UNLOCK(m);
  start(tear_down, NULL);
  join_all();
}
