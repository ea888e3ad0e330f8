// expect: assertion   Two threads write to a pipe that main reads.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void* writes(void* byte) {
  (void)!write(ends[1], byte, 1);
  return 0;
}
int main(void) {
  pthread_t a, b;
  char got[2];
  if (pipe(ends)) return 0;
  pthread_create(&a, 0, writes, "a");
  pthread_create(&b, 0, writes, "b");
  for (int i = 0; i < 2; i++) (void)!read(ends[0], &got[i], 1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(got[0] == 'a');
  return 0;
}
