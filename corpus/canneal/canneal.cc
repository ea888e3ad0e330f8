// Simulated annealing of a placement: workers swap the places of two cells when that makes the wires shorter, or by
// chance while it is hot. Both cells are locked, the one at the lower place first: but the places change while one
// waits.
//
// parameters: workers moves-per-step steps cells
#include <assert.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "../kernel.h"

namespace {
struct Cell {
  std::mutex lock;
  std::atomic<int> place;
  int wires[2];  // the cells it is connected with
};

std::vector<Cell>* cells;
int moves, steps;

int length(int cell, int place) {
  int sum = 0;
  for (int other : (*cells)[cell].wires) sum += std::abs((*cells)[other].place - place);
  return sum;
}

void swap_if_better(int a, int b, bool hot) {
  int at = (*cells)[a].place, bt = (*cells)[b].place;
  int gain = length(a, at) + length(b, bt) - length(a, bt) - length(b, at);
  if (gain <= 0 && !hot) return;
  (*cells)[a].place = bt;
  (*cells)[b].place = at;
}

void move(int a, int b, bool hot) {
#ifdef FIXED
  bool a_first = a < b;
#else
  bool a_first = (*cells)[a].place < (*cells)[b].place;  // BUG:order
#endif
  std::lock_guard first((*cells)[a_first ? a : b].lock);   // BUG:first
  std::lock_guard second((*cells)[a_first ? b : a].lock);  // BUG:second FAILS
  swap_if_better(a, b, hot);
}

void anneal(int worker, pthread_barrier_t* step_done) {
  uint32_t random = 123456789u + 362437u * worker;
  int count = static_cast<int>(cells->size());
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < moves; i++) {
      int a = static_cast<int>(next_random(&random) % count);
      int b = static_cast<int>((a + 1 + next_random(&random) % (count - 1)) % count);
      move(a, b, step + 1 < steps);
    }
    pthread_barrier_wait(step_done);
  }
}
}  // namespace

int main(int argc, char** argv) {
  int workers = parameter(argc, argv, 1, 12);
  moves = parameter(argc, argv, 2, 1);
  steps = parameter(argc, argv, 3, 2);
  int count = parameter(argc, argv, 4, 4);
  cells = new std::vector<Cell>(count);
  for (int i = 0; i < count; i++) {
    (*cells)[i].place = i;
    for (int w = 0; w < 2; w++) (*cells)[i].wires[w] = (i * 7 + 3 + w * 5) % count;
  }
  pthread_barrier_t step_done;
  pthread_barrier_init(&step_done, nullptr, workers);
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; i++) threads.emplace_back(anneal, i, &step_done);
  for (std::thread& t : threads) t.join();
  std::vector<bool> used(count);
  for (Cell& c : *cells) {
    assert(!used[c.place]);
    used[c.place] = true;
  }
  return 0;
}
