// expect: clean   More than a pipe holds, from one thread to another.
// laws: 20 schedules, hundreds of kilobytes each
// runs: 5
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
enum { kBytes = 300000 };
static int ends[2];
static char sent[kBytes];
static void* writes(void* unused) {
  for (size_t at = 0; at < kBytes;) {
    ssize_t n = write(ends[1], sent + at, kBytes - at);
    assert(n > 0);
    at += (size_t)n;
  }
  close(ends[1]);
  return unused;
}
int main(void) {
  pthread_t t;
  char buffer[4000];
  size_t total = 0;
  ssize_t n;
  memset(sent, 'x', sizeof sent);
  assert(pipe(ends) == 0);
  pthread_create(&t, 0, writes, 0);
  while ((n = read(ends[0], buffer, sizeof buffer)) > 0) total += (size_t)n;
  pthread_join(t, 0);
  assert(total == kBytes);
  return 0;
}
