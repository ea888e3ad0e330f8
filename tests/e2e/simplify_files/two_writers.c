// Two threads write a line each to a pipe, in two parts; it fails when the lines are mixed. The reader blocks, so the writers leave control.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static int ends[2];
static void* writes(void* unused) {
  (void)!write(ends[1], "ab", 2);
  (void)!write(ends[1], "\n", 1);
  return unused;
}
int main(void) {
  if (pipe(ends)) return 0;
  pthread_t a, b;
  pthread_create(&a, 0, writes, 0);
  pthread_create(&b, 0, writes, 0);
  char lines[7] = {0};
  for (long n = 0, more; n < 6; n += more)
    if ((more = read(ends[0], lines + n, 6 - n)) <= 0) break;
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!strcmp(lines, "ab\nab\n"));
  return 0;
}
