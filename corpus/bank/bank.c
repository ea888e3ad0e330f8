// Two tellers work on accounts of their own and keep the total of the bank. The total is read, and written back later.
//
// parameters: tellers transactions
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

enum { kAccounts = 4, kMost = 16 };

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static long bank_total, accounts[kMost][kAccounts];
static int transactions;

static long read_total(void) {
  pthread_mutex_lock(&total_lock);
  long total = bank_total;  // BUG:read
  pthread_mutex_unlock(&total_lock);
  return total;
}

static void write_total(long total) {
  pthread_mutex_lock(&total_lock);
  bank_total = total;  // BUG:write
  pthread_mutex_unlock(&total_lock);
}

static void add_to_total(long amount) {
#ifdef FIXED
  pthread_mutex_lock(&total_lock);
  bank_total += amount;
  pthread_mutex_unlock(&total_lock);
#else
  write_total(read_total() + amount);
#endif
}

static void* teller(void* number) {
  int me = (int)(intptr_t)number;
  uint32_t random = 2463534242u + 7919u * me;
  for (int i = 0; i < transactions; i++) {
    long amount = 1 + next_random(&random) % 100;
    accounts[me][next_random(&random) % kAccounts] += amount;
    add_to_total(amount);
  }
  return 0;
}

int main(int argc, char** argv) {
  int tellers = parameter(argc, argv, 1, 2);
  transactions = parameter(argc, argv, 2, 6);
  assert(tellers <= kMost);
  pthread_t threads[kMost];
  for (int i = 0; i < tellers; i++) pthread_create(&threads[i], 0, teller, (void*)(intptr_t)i);
  for (int i = 0; i < tellers; i++) pthread_join(threads[i], 0);
  long accounts_total = 0;
  for (int i = 0; i < tellers; i++)
    for (int a = 0; a < kAccounts; a++) accounts_total += accounts[i][a];
  assert(read_total() == accounts_total);  // FAILS
  write_total(0);
  return 0;
}
