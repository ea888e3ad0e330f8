// expect: clean   A program that becomes another instrumented one: the result is that one's.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void* nothing(void* unused) { return unused; }
int main(int argc, char** argv) {
  pthread_t t;
  pthread_create(&t, 0, nothing, 0);
  pthread_join(t, 0);
  if (argc > 1) return 0;
  execl("/proc/self/exe", argv[0], "second", (char*)0);
  return 9;
}
