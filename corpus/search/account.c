// expect: assertion
// SCTBench CS.account: the balance is read under the lock and written back in a second critical section.
#include "threads.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, deposited, withdrawn;

static void change(int by) {
  LOCK(m);
  int seen = balance;
  UNLOCK(m);
  LOCK(m);
  balance = seen + by;
  UNLOCK(m);
}
static void* deposit(void* arg) {
  change(30);
  LOCK(m);
  deposited = 1;
  UNLOCK(m);
  return arg;
}
static void* withdraw(void* arg) {
  change(-50);
  LOCK(m);
  withdrawn = 1;
  UNLOCK(m);
  return arg;
}
static void* check(void* arg) {
  LOCK(m);
  if (deposited && withdrawn) assert(balance == 80);  // FAILS
  UNLOCK(m);
  return arg;
}
int main(void) {
  start(deposit, NULL);
  start(withdraw, NULL);
  start(check, NULL);
  join_all();
}
