// expect: ill   An instruction that no processor has.
// alone: SIGILL
#include <pthread.h>
static void* traps(void* unused) {
  __builtin_trap();
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, traps, 0);
  pthread_join(t, 0);
  return 0;
}
