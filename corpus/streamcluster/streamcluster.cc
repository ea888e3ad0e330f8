// Clustering of points that arrive as a stream: in each round the workers find out whether opening one more centre
// pays, between barriers. Whoever passes the last barrier of a round first of all makes the table for the next one; in
// the round that ends the search, the others do not wait for it.
//
// parameters: workers rounds points
#include <assert.h>
#include <pthread.h>

#include <vector>

#include "../kernel.h"

namespace {
// A barrier of our own, as the original has one: a mutex, a condition and a generation.
class Barrier {
 public:
  explicit Barrier(int parties) : parties_(parties) {}

  // True for the one that came last.
  bool wait() {
    pthread_mutex_lock(&lock_);
    int generation = generation_;
    bool last = ++arrived_ == parties_;
    if (last) {
      arrived_ = 0;
      generation_++;
      pthread_cond_broadcast(&passed_);
    }
    while (generation == generation_) pthread_cond_wait(&passed_, &lock_);
    pthread_mutex_unlock(&lock_);
    return last;
  }

 private:
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t passed_ = PTHREAD_COND_INITIALIZER;
  int parties_, arrived_ = 0, generation_ = 0;
};

struct Search {
  Search(int workers, int rounds, int points) : workers(workers), rounds(rounds), barrier(workers), gains(workers) {
    uint32_t random = 521288629u;
    for (int i = 0; i < points; i++) position.push_back(static_cast<int>(next_random(&random) % 1000));
    distance.assign(points, 1000);
    storage.resize(points);
    table = storage.data();
  }
  int workers, rounds;
  Barrier barrier;
  std::vector<int> position, distance;  // of a point; to its centre
  std::vector<int> gains;               // of each worker's share
  std::vector<int> storage;
  int* table;  // the distances to the candidate, for one round
};

struct Worker {
  Search* search;
  int me;
};

int share_begin(const Search& s, int worker) { return static_cast<int>(s.position.size()) * worker / s.workers; }

int gain_of(Search& s, int* table, int me, int candidate) {
  int gain = 0;
  for (int i = share_begin(s, me); i < share_begin(s, me + 1); i++) {
    int to_candidate = s.position[i] - s.position[candidate];
    table[i] = to_candidate < 0 ? -to_candidate : to_candidate;  // FAILS
    if (table[i] < s.distance[i]) gain += s.distance[i] - table[i];
  }
  return gain;
}

void round_of(Search& s, int me, int round) {
  int candidate = round * 7 % static_cast<int>(s.position.size());
#ifndef FIXED
  if (round != s.rounds - 1)  // BUG:skip
#endif
    s.barrier.wait();
  int* table = s.table;  // BUG:use
  s.gains[me] = gain_of(s, table, me, candidate);
  bool last = s.barrier.wait();
  if (last) s.table = nullptr;
  int gain = 0;
  for (int g : s.gains) gain += g;
  for (int i = share_begin(s, me); gain > 0 && i < share_begin(s, me + 1); i++)
    if (table[i] < s.distance[i]) s.distance[i] = table[i];
  if (s.barrier.wait()) s.table = s.storage.data();  // BUG:make
}

void* work(void* argument) {
  auto* w = static_cast<Worker*>(argument);
  for (int round = 0; round < w->search->rounds; round++) round_of(*w->search, w->me, round);
  return nullptr;
}

// What one thread finds.
std::vector<int> alone(int rounds, int points) {
  Search s(1, rounds, points);
  Worker w{&s, 0};
  work(&w);
  return s.distance;
}
}  // namespace

int main(int argc, char** argv) {
  int workers = parameter(argc, argv, 1, 8), rounds = parameter(argc, argv, 2, 16),
      points = parameter(argc, argv, 3, 64);
  assert(workers <= points);
  Search s(workers, rounds, points);
  std::vector<Worker> each;
  for (int i = 0; i < workers; i++) each.push_back({&s, i});
  std::vector<pthread_t> threads(workers);
  for (int i = 0; i < workers; i++) pthread_create(&threads[i], nullptr, work, &each[i]);
  for (pthread_t t : threads) pthread_join(t, nullptr);
  assert(s.distance == alone(rounds, points));
  return 0;
}
