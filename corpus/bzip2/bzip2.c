// Block compression with a fixed number of slots: main deals blocks to workers, workers move to front and pack, the
// writer takes the slots in order. A worker says that its slot is ready before the packed block is in it.
//
// parameters: workers blocks more-reports-per-block
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel.h"

enum { kBlock = 32, kBlocks = 1024, kMost = 32 };

struct packed {
  int size;
  unsigned char bytes[2 * kBlock];
};

static struct slot {
  int ready;
  struct packed* out;
} slots[kBlocks];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_ready = PTHREAD_COND_INITIALIZER;
static unsigned char input[kBlocks][kBlock];
static int blocks, next_block, same, reports, more_reports;

// Move to front, then run lengths: pairs (count, rank).
static void pack(const unsigned char* block, struct packed* to) {
  unsigned char order[4] = {0, 1, 2, 3};
  for (int i = 0; i < kBlock; i++) {
    int rank = 0;
    while (order[rank] != block[i]) rank++;
    memmove(order + 1, order, rank);
    order[0] = block[i];
    if (to->size > 0 && to->bytes[to->size - 1] == rank) {
      to->bytes[to->size - 2]++;
    } else {
      to->bytes[to->size++] = 1;
      to->bytes[to->size++] = (unsigned char)rank;
    }
  }
}

static int unpacks_to(const struct packed* from, const unsigned char* block) {
  unsigned char order[4] = {0, 1, 2, 3};
  int at = 0;
  for (int i = 0; i < from->size; i += 2)  // FAILS
    for (int n = 0; n < from->bytes[i]; n++) {
      unsigned char value = order[from->bytes[i + 1]];
      memmove(order + 1, order, from->bytes[i + 1]);
      order[0] = value;
      if (block[at++] != value) return 0;
    }
  return at == kBlock;
}

static void report(void) {
  pthread_mutex_lock(&lock);
  reports++;
  pthread_mutex_unlock(&lock);
}

static void finish(struct slot* slot, struct packed* out) {
#ifdef FIXED
  slot->out = out;
#endif
  pthread_mutex_lock(&lock);
  slot->ready = 1;  // BUG:ready
  pthread_cond_signal(&one_ready);
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  slot->out = out;  // BUG:late
#endif
}

static void* worker(void* unused) {
  (void)unused;
  for (;;) {
    pthread_mutex_lock(&lock);
    int mine = next_block < blocks ? next_block++ : -1;
    pthread_mutex_unlock(&lock);
    if (mine < 0) return 0;
    struct packed* out = calloc(1, sizeof *out);
    pack(input[mine], out);
    for (int i = 0; i < more_reports; i++) report();
    finish(&slots[mine], out);
  }
}

static void* writer(void* unused) {
  (void)unused;
  for (int i = 0; i < blocks; i++) {
    pthread_mutex_lock(&lock);
    while (!slots[i].ready) pthread_cond_wait(&one_ready, &lock);
    pthread_mutex_unlock(&lock);
    struct packed* out = slots[i].out;  // BUG:use
    same += unpacks_to(out, input[i]);
    free(out);
  }
  return 0;
}

int main(int argc, char** argv) {
  int workers = parameter(argc, argv, 1, 4);
  blocks = parameter(argc, argv, 2, 6);
  more_reports = parameter(argc, argv, 3, 0);
  assert(workers < kMost && blocks <= kBlocks);
  uint32_t random = 521288629u;
  for (int i = 0; i < blocks; i++)
    for (int k = 0; k < kBlock; k++)
      input[i][k] = next_random(&random) % 3 ? (k ? input[i][k - 1] : 0) : random >> 8 & 3;
  pthread_t threads[kMost];
  for (int i = 0; i <= workers; i++) pthread_create(&threads[i], 0, i < workers ? worker : writer, 0);
  for (int i = 0; i <= workers; i++) pthread_join(threads[i], 0);
  assert(same == blocks && reports == blocks * more_reports);
  return 0;
}
