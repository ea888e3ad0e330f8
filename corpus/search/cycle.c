// expect: deadlock
// Three transfers between three accounts, each locks the source first; several rounds of other transfers around them.
#include "threads.h"
enum { kAccounts = 3, kRounds = 3 };
static struct {
  pthread_mutex_t m;
  int amount;
} accounts[kAccounts];

static void transfer(long from, long to) {
  LOCK(accounts[from].m);
  LOCK(accounts[to].m);  // FAILS
  accounts[from].amount--;
  accounts[to].amount++;
  UNLOCK(accounts[to].m);
  UNLOCK(accounts[from].m);
}
static void* teller(void* arg) {
  long self = (long)arg;
  for (int i = 0; i < kRounds; i++) {
    LOCK(accounts[self].m);
    accounts[self].amount++;
    UNLOCK(accounts[self].m);
  }
  transfer(self, (self + 1) % kAccounts);
  return NULL;
}
int main(void) {
  for (long i = 0; i < kAccounts; i++) pthread_mutex_init(&accounts[i].m, NULL);
  for (long i = 0; i < kAccounts; i++) start(teller, (void*)i);
  join_all();
}
