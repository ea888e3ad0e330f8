// expect: assertion
// Threads that begin with a question to the kernel, while one of them fails: a recording ends with others in the middle of it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
enum { kThreads = 8 };
static int ids[kThreads], asked;
static void* asks(void* p) {
  ids[(long)p] = gettid();
  assert(__atomic_add_fetch(&asked, 1, __ATOMIC_SEQ_CST) < 3);
  return 0;
}
int main(void) {
  pthread_t t[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&t[i], 0, asks, (void*)i);
  for (int i = 0; i < kThreads; i++) pthread_join(t[i], 0);
  return 0;
}
