// Block compression: main reads blocks into a queue, workers pack them, a writer puts the packed blocks together in
// order. Main waits for the writer only, and then deletes the queue that the workers may still look into.
//
// parameters: workers blocks
#include <assert.h>
#include <pthread.h>

#include <string>
#include <vector>

#include "../kernel.h"

namespace {
struct Queue {
  pthread_mutex_t* mut = new pthread_mutex_t;
  pthread_cond_t* changed = new pthread_cond_t;
  std::vector<int> waiting;  // numbers of blocks
  bool all_read = false;
};

struct Output {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t packed = PTHREAD_COND_INITIALIZER;
  std::vector<std::string> blocks;
  std::vector<bool> done;
};

Queue* fifo;
Output output;
std::vector<std::string> input;
std::string file;

// Run lengths: "aaab" -> "3a1b".
std::string pack(const std::string& block) {
  std::string packed;
  for (size_t i = 0, run; i < block.size(); i += run) {
    for (run = 1; run < 9 && i + run < block.size() && block[i + run] == block[i]; run++) {
    }
    packed += static_cast<char>('0' + run);
    packed += block[i];
  }
  return packed;
}

std::string unpack(const std::string& packed) {
  std::string block;
  for (size_t i = 0; i < packed.size(); i += 2) block.append(packed[i] - '0', packed[i + 1]);
  return block;
}

void store(int number, std::string packed) {
  pthread_mutex_lock(&output.lock);
  output.blocks[number] = std::move(packed);
  output.done[number] = true;
  pthread_cond_signal(&output.packed);
  pthread_mutex_unlock(&output.lock);
}

void* consumer(void*) {
  for (;;) {
    pthread_mutex_lock(fifo->mut);  // BUG:use FAILS
    while (fifo->waiting.empty() && !fifo->all_read) pthread_cond_wait(fifo->changed, fifo->mut);
    if (fifo->waiting.empty()) break;
    int number = fifo->waiting.back();
    fifo->waiting.pop_back();
    pthread_mutex_unlock(fifo->mut);
    store(number, pack(input[number]));
  }
  pthread_mutex_unlock(fifo->mut);  // BUG:leave FAILS
  return nullptr;
}

void* writer(void*) {
  for (size_t i = 0; i < input.size(); i++) {
    pthread_mutex_lock(&output.lock);
    while (!output.done[i]) pthread_cond_wait(&output.packed, &output.lock);
    file += output.blocks[i];
    pthread_mutex_unlock(&output.lock);
  }
  return nullptr;
}

void produce() {
  for (size_t i = 0; i < input.size(); i++) {
    pthread_mutex_lock(fifo->mut);
    fifo->waiting.push_back(static_cast<int>(i));
    pthread_cond_signal(fifo->changed);
    pthread_mutex_unlock(fifo->mut);
  }
  pthread_mutex_lock(fifo->mut);
  fifo->all_read = true;
  pthread_cond_broadcast(fifo->changed);
  pthread_mutex_unlock(fifo->mut);
}

// The memory stays: a use of what was deleted is a null pointer, never a surprise.
void queue_delete(Queue* q) {
  q->mut = nullptr;  // BUG:null
  q->changed = nullptr;
}

void read_input(int blocks) {
  uint32_t random = 2463534242u;
  for (int i = 0; i < blocks; i++) {
    std::string block;
    while (block.size() < 64)
      block.append(1 + next_random(&random) % 7, static_cast<char>('a' + next_random(&random) % 4));
    input.push_back(block);
  }
  output.blocks.resize(blocks);
  output.done.resize(blocks);
}
}  // namespace

int main(int argc, char** argv) {
  int workers = parameter(argc, argv, 1, 5);
  read_input(parameter(argc, argv, 2, 8));
  fifo = new Queue;
  pthread_mutex_init(fifo->mut, nullptr);
  pthread_cond_init(fifo->changed, nullptr);
  std::vector<pthread_t> threads(workers + 1);
  for (int i = 0; i < workers; i++) pthread_create(&threads[i], nullptr, consumer, nullptr);
  pthread_create(&threads[workers], nullptr, writer, nullptr);
  produce();
  pthread_join(threads[workers], nullptr);
  std::string whole;
  for (const std::string& block : input) whole += block;
  assert(unpack(file) == whole);
#ifdef FIXED
  for (int i = 0; i < workers; i++) pthread_join(threads[i], nullptr);
#endif
  queue_delete(fifo);
#ifndef FIXED
  for (int i = 0; i < workers; i++) pthread_join(threads[i], nullptr);
#endif
  return 0;
}
