// Two threads move money between two accounts, in opposite directions. Each locks the account that it takes from first.
//
// parameters: transfers
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

struct account {
  pthread_mutex_t lock;
  int balance;
};

static struct account left = {PTHREAD_MUTEX_INITIALIZER, 100}, right = {PTHREAD_MUTEX_INITIALIZER, 100};
static int transfers;

static void transfer(struct account* from, struct account* to) {
#ifdef FIXED
  struct account *first = &left, *second = &right;
#else
  struct account *first = from, *second = to;
#endif
  pthread_mutex_lock(&first->lock);   // BUG:first
  pthread_mutex_lock(&second->lock);  // BUG:second FAILS
  from->balance--;
  to->balance++;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void* to_right(void* unused) {
  (void)unused;
  for (int i = 0; i < transfers; i++) transfer(&left, &right);
  return 0;
}

static void* to_left(void* unused) {
  (void)unused;
  for (int i = 0; i < transfers; i++) transfer(&right, &left);
  return 0;
}

int main(int argc, char** argv) {
  transfers = parameter(argc, argv, 1, 1);
  pthread_t one, two;
  pthread_create(&one, 0, to_right, 0);
  pthread_create(&two, 0, to_left, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  assert(left.balance + right.balance == 200);
  return 0;
}
