// expect: clean
// Who gets what was written changes the writer's buffer at once, and says so: all in order, and what was written is what the replay of a recording writes.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { kRounds = 3000, kBytes = 4000 };
static int there[2], back[2];
static char buffer[kBytes];
static void* answers(void* p) {
  static char got[kBytes];
  for (int i = 0; i < kRounds; i++) {
    while (read(there[0], got, kBytes) <= 0) {
    }
    buffer[50] = (char)i;
    if (write(back[1], "", 1) != 1) return NULL;
  }
  return p;
}
int main(void) {
  pthread_t t;
  long sum = 0;
  if (pipe(there) || pipe(back) || fcntl(there[0], F_SETFL, O_NONBLOCK)) return 1;
  pthread_create(&t, NULL, answers, NULL);
  for (int i = 0; i < kRounds; i++) {
    char byte;
    if (write(there[1], buffer, kBytes) != kBytes || read(back[0], &byte, 1) != 1) return 2;
    sum += buffer[50];
  }
  pthread_join(t, NULL);
  printf("%ld\n", sum);
  return 0;
}
