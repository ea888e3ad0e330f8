// A tracing library: two threads write records into slots of a common buffer, and give the slot back when the record is
// out. Records are merged by number, so neither may be more than one ahead. Giving back counts without a lock: every
// lost count is a slot that is gone, and when all are, tracing waits for ever. One unlucky switch is not enough.
//
// parameters: records-per-thread slots lines-per-head
#include <assert.h>
#include <pthread.h>

#include "../kernel.h"

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int slots, taken, returned;
  int number[2];     // of each thread's last record
  uint32_t written;  // a check sum of all records
  pthread_mutex_t output;
  int lines;  // of the heads
} buffer = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .output = PTHREAD_MUTEX_INITIALIZER};

static int records, head_lines;

static void take_slot(int me, uint32_t record) {
  pthread_mutex_lock(&buffer.lock);
  while (buffer.taken - buffer.returned >= buffer.slots || buffer.number[me] > buffer.number[!me])
    pthread_cond_wait(&buffer.changed, &buffer.lock);  // FAILS
  buffer.taken++;
  buffer.number[me]++;
  buffer.written += record;
  pthread_cond_broadcast(&buffer.changed);
  pthread_mutex_unlock(&buffer.lock);
}

// What each thread says about itself before its first record.
static void write_head(void) {
  for (int i = 0; i < head_lines; i++) {
    pthread_mutex_lock(&buffer.output);
    buffer.lines++;
    pthread_mutex_unlock(&buffer.output);
  }
}

static void return_slot(void) {
#ifdef FIXED
  pthread_mutex_lock(&buffer.lock);
  buffer.returned++;
#else
  buffer.returned++;  // BUG:count
  pthread_mutex_lock(&buffer.lock);
#endif
  pthread_cond_broadcast(&buffer.changed);
  pthread_mutex_unlock(&buffer.lock);
}

static uint32_t traced(int me, uint32_t seed) {
  uint32_t sum = 0;
  write_head();
  for (int i = 0; i < records; i++) {
    uint32_t record = next_random(&seed);
    sum += record;
    take_slot(me, record);
    return_slot();
  }
  return sum;
}

static void* worker(void* sum) {
  *(uint32_t*)sum = traced(1, 88675123u);
  return 0;
}

int main(int argc, char** argv) {
  records = parameter(argc, argv, 1, 20);
  buffer.slots = parameter(argc, argv, 2, 4);
  head_lines = parameter(argc, argv, 3, 0);
  pthread_t other;
  uint32_t others = 0;
  pthread_create(&other, 0, worker, &others);
  uint32_t mine = traced(0, 521288629u);
  pthread_join(other, 0);
  assert(buffer.written == mine + others && buffer.lines == 2 * head_lines);
  return 0;
}
