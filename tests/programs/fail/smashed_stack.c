// expect: segfault   The return addresses are gone: the report says what it can.
// alone: SIGSEGV
#include <pthread.h>
#include <string.h>
static void* smashes(void* unused) {
  volatile char small[8];
  for (int i = 0; i < 200; i++) ((volatile char*)small)[i] = 'A';
  return unused;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, smashes, 0);
  pthread_join(t, 0);
  return 0;
}
