// A parallel scanner: main puts names of files into a queue, workers take them and count how often a word occurs. A
// worker that was woken believes that the file it was woken for is still there.
//
// parameters: workers files queued-before-workers-start more-reports-per-file
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../kernel.h"

enum { kSlots = 8, kMost = 64, kFiles = 256 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t more, less;
  const char* paths[kSlots];
  int next_in, next_out, occupied, closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .less = PTHREAD_COND_INITIALIZER};

static char files[kFiles][96];  // "name:text"
static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;
static int matches, reports, more_reports;

static void queue_put(const char* path) {
  pthread_mutex_lock(&queue.lock);
  while (queue.occupied == kSlots) pthread_cond_wait(&queue.less, &queue.lock);
  queue.paths[queue.next_in] = path;
  queue.next_in = (queue.next_in + 1) % kSlots;
  queue.occupied++;
  pthread_cond_signal(&queue.more);
  pthread_mutex_unlock(&queue.lock);
}

static void queue_close(void) {
  pthread_mutex_lock(&queue.lock);
  queue.closed = 1;
  pthread_cond_broadcast(&queue.more);
  pthread_mutex_unlock(&queue.lock);
}

// The next path in *path; 0: there is none and there will be none.
static int queue_get(const char** path) {
  pthread_mutex_lock(&queue.lock);
#ifdef FIXED
  while (queue.occupied == 0 && !queue.closed) pthread_cond_wait(&queue.more, &queue.lock);
#else
  if (queue.occupied == 0 && !queue.closed) pthread_cond_wait(&queue.more, &queue.lock);  // BUG:wait
#endif
  if (queue.occupied == 0 && queue.closed) {
    pthread_mutex_unlock(&queue.lock);
    return 0;
  }
  *path = queue.paths[queue.next_out];  // BUG:take
  queue.paths[queue.next_out] = NULL;
  queue.next_out = (queue.next_out + 1) % kSlots;
  queue.occupied--;  // BUG:steal
  pthread_cond_signal(&queue.less);
  pthread_mutex_unlock(&queue.lock);
  return 1;
}

static int scan(const char* path) {
  int found = 0;
  while (*path != ':') path++;  // FAILS
  for (const char* at = path; (at = strstr(at, "abc")); at++) found++;
  return found;
}

static void report(void) {
  pthread_mutex_lock(&matches_lock);
  reports++;
  pthread_mutex_unlock(&matches_lock);
}

static void* worker(void* unused) {
  (void)unused;
  const char* path;
  while (queue_get(&path)) {
    int found = scan(path);
    pthread_mutex_lock(&matches_lock);
    matches += found;
    pthread_mutex_unlock(&matches_lock);
    for (int i = 0; i < more_reports; i++) report();
  }
  return 0;
}

static int write_files(int count) {
  uint32_t random = 362436069u;
  int expected = 0;
  for (int i = 0; i < count; i++) {
    int at = snprintf(files[i], sizeof files[i], "file%d:", i);
    while (at < (int)sizeof files[i] - 1) files[i][at++] = (char)('a' + next_random(&random) % 3);
    expected += scan(files[i]);
  }
  return expected;
}

int main(int argc, char** argv) {
  int workers = parameter(argc, argv, 1, 8), count = parameter(argc, argv, 2, 8), before = parameter(argc, argv, 3, 0);
  more_reports = parameter(argc, argv, 4, 0);
  assert(workers <= kMost && count <= kFiles && before <= kSlots && before <= count);
  int expected = write_files(count);
  pthread_t threads[kMost];
  for (int i = 0; i < before; i++) queue_put(files[i]);
  for (int i = 0; i < workers; i++) pthread_create(&threads[i], 0, worker, 0);
  for (int i = before; i < count; i++) queue_put(files[i]);
  queue_close();
  for (int i = 0; i < workers; i++) pthread_join(threads[i], 0);
  assert(matches == expected && reports == count * more_reports);
  return 0;
}
