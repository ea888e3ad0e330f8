// A lost update in memory, in a program that appends to a log which it never reads.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
static atomic_int sum;
static int file;
static void say(const char* text) { (void)!write(file, text, strlen(text)); }
static void* adds(void* unused) {
  for (int i = 0; i < 3; i++) {
    say("begin\n");
    int n = sum;
    sum = n + 1;
    say("end\n");
  }
  return unused;
}
int main(void) {
  file = open("log.txt", O_WRONLY | O_CREAT | O_APPEND, 0600);
  pthread_t a, b;
  pthread_create(&a, 0, adds, 0);
  pthread_create(&b, 0, adds, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 6);
  return 0;
}
