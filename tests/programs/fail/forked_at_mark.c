// expect: check
// The long initialisation is executed once, in the server; runs fork off behind it.
// options: fork_at_mark=1
#include <heddle/check.h>
#include <pthread.h>
static int table[1 << 16];
static int x;
static void* add(void* unused) {
  int seen = x;
  x = seen + 1;
  return unused;
}
int main(void) {
  for (int i = 0; i < 1 << 16; i++) table[i] = i;
  heddle_init_done();
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  heddle_check(x == 2 && table[77] == 77);
  return 0;
}
