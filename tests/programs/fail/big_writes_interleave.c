// expect: assertion   Two threads write more than a pipe takes at once: what they write gets mixed.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
enum { kBytes = 100000 };
static int ends[2];
static char text[2][kBytes], got[2 * kBytes];
static void* writes(void* from) {
  (void)!write(ends[1], from, kBytes);
  return 0;
}
int main(void) {
  if (pipe(ends)) return 0;
  memset(text[0], 'a', kBytes);
  memset(text[1], 'b', kBytes);
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, writes, text[i]);
  for (long n = 0, r; n < 2 * kBytes && (r = read(ends[0], got + n, sizeof got - (size_t)n)) > 0;) n += r;
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  int switches = 0;
  for (int i = 1; i < 2 * kBytes; i++) switches += got[i] != got[i - 1];
  assert(switches == 1);
  return 0;
}
