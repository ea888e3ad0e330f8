// Video coding with a thread per frame: a row can be predicted when the frame before it is a few rows further. A thread
// asks for the progress of that frame first, and locks and waits afterwards: the last news may come in between.
//
// parameters: frames rows
#include <assert.h>
#include <pthread.h>

#include <atomic>
#include <vector>

#include "../kernel.h"

namespace {
constexpr int kWidth = 8, kAhead = 1;

struct Frame {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t advanced = PTHREAD_COND_INITIALIZER;
  std::atomic<int> rows_done = 0;
  std::vector<int> pixels, decoded;
  Frame* before = nullptr;
};

std::vector<Frame>* frames;
int rows;

void publish(Frame& f, int done) {
  pthread_mutex_lock(&f.lock);
  f.rows_done = done;  // BUG:publish
  pthread_cond_broadcast(&f.advanced);
  pthread_mutex_unlock(&f.lock);
}

void wait_for(Frame& f, int needed) {
#ifdef FIXED
  pthread_mutex_lock(&f.lock);
  while (f.rows_done < needed) pthread_cond_wait(&f.advanced, &f.lock);
  pthread_mutex_unlock(&f.lock);
#else
  while (f.rows_done < needed) {  // BUG:check
    pthread_mutex_lock(&f.lock);
    pthread_cond_wait(&f.advanced, &f.lock);  // BUG:wait FAILS
    pthread_mutex_unlock(&f.lock);
  }
#endif
}

// The row of the frame before that is nearest to this one, of those that are done.
int best_reference(const Frame& f, int row, int last) {
  int best = 0, least = 1 << 30;
  for (int r = 0; r < last; r++) {
    int difference = 0;
    for (int x = 0; x < kWidth; x++)
      difference += std::abs(f.pixels[row * kWidth + x] - f.before->decoded[r * kWidth + x]);
    if (difference < least) least = difference, best = r;
  }
  return best;
}

// Codes the row as a difference and decodes it again.
void code_row(Frame& f, int row) {
  int reference = -1;
  if (f.before) {
    int needed = row + 1 + kAhead < rows ? row + 1 + kAhead : rows;
    wait_for(*f.before, needed);
    reference = best_reference(f, row, needed);
  }
  for (int x = 0; x < kWidth; x++) {
    int predicted = reference < 0 ? 128 : f.before->decoded[reference * kWidth + x];
    int coded = f.pixels[row * kWidth + x] - predicted;
    f.decoded[row * kWidth + x] = predicted + coded;
  }
}

void* encode(void* frame) {
  auto& f = *static_cast<Frame*>(frame);
  for (int row = 0; row < rows; row++) {
    code_row(f, row);
    publish(f, row + 1);
  }
  return nullptr;
}
}  // namespace

int main(int argc, char** argv) {
  int count = parameter(argc, argv, 1, 9);
  rows = parameter(argc, argv, 2, 10);
  frames = new std::vector<Frame>(count);
  uint32_t random = 123456789u;
  for (int i = 0; i < count; i++) {
    Frame& f = (*frames)[i];
    for (int k = 0; k < rows * kWidth; k++) f.pixels.push_back(static_cast<int>(next_random(&random) % 256));
    f.decoded.resize(f.pixels.size());
    f.before = i ? &(*frames)[i - 1] : nullptr;
  }
  std::vector<pthread_t> threads(count);
  for (int i = 0; i < count; i++) pthread_create(&threads[i], nullptr, encode, &(*frames)[i]);
  for (pthread_t t : threads) pthread_join(t, nullptr);
  for (const Frame& f : *frames) assert(f.decoded == f.pixels);
  return 0;
}
