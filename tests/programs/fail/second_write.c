// expect: exit   Only between the two writes of x is it 1; both writes must become scheduling points.
// tsan: none, those compilers leave out hooks of accesses that another one covers
#include <pthread.h>
static int x, y;
static void* writes(void* unused) {
  x = 1;
  y = 1;
  x = 2;
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writes, 0);
  int seen = x;
  pthread_join(t, 0);
  return seen == 1 && y;
}
