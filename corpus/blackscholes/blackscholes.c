// Prices of European options by the Black-Scholes formula: workers and main start together at a barrier, each worker
// prices its share, and the last one to finish tells main. Main waits to be told without asking whether it has
// happened.
//
// parameters: workers options-per-worker
#include <assert.h>
#include <math.h>
#include <pthread.h>

#include "../kernel.h"

enum { kMost = 64 };

static pthread_barrier_t start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int workers, options, finished;
static double sums[kMost];  // of call - put - (spot - discounted strike), which is 0 for every option

static double normal(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

static double parity_error(double spot, double strike, double rate, double volatility, double time) {
  double d1 = (log(spot / strike) + (rate + volatility * volatility / 2) * time) / (volatility * sqrt(time));
  double d2 = d1 - volatility * sqrt(time), discounted = strike * exp(-rate * time);
  double call = spot * normal(d1) - discounted * normal(d2);
  double put = discounted * normal(-d2) - spot * normal(-d1);
  return fabs(call - put - (spot - discounted));
}

static void* worker(void* number) {
  int me = (int)(intptr_t)number;
  uint32_t random = 88675123u + 31u * me;
  pthread_barrier_wait(&start);
  for (int i = 0; i < options; i++) {
    double spot = 50 + next_random(&random) % 100, strike = 50 + next_random(&random) % 100;
    sums[me] += parity_error(spot, strike, 0.02, 0.1 + next_random(&random) % 50 / 100.0,
                             0.25 + next_random(&random) % 8 / 4.0);
  }
  pthread_mutex_lock(&lock);
  if (++finished == workers) pthread_cond_signal(&all_done);  // BUG:signal
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(int argc, char** argv) {
  workers = parameter(argc, argv, 1, 8);
  options = parameter(argc, argv, 2, 50);
  assert(workers <= kMost);
  pthread_barrier_init(&start, 0, workers + 1);
  pthread_t threads[kMost];
  for (int i = 0; i < workers; i++) pthread_create(&threads[i], 0, worker, (void*)(intptr_t)i);
  pthread_barrier_wait(&start);
  pthread_mutex_lock(&lock);
#ifdef FIXED
  while (finished < workers) pthread_cond_wait(&all_done, &lock);
#else
  pthread_cond_wait(&all_done, &lock);  // BUG:wait FAILS
#endif
  pthread_mutex_unlock(&lock);
  double error = 0;
  for (int i = 0; i < workers; i++) error += sums[i];
  for (int i = 0; i < workers; i++) pthread_join(threads[i], 0);
  assert(error < 1e-6);
  return 0;
}
