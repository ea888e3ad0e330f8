// expect: clean race
// Threads are in the middle of send() when the process ends: what they had sent by then was what main saw, and is so in the replay of a recording.
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2][2];
static volatile long sent[2];
static void* sender(void* p) {
  long me = (long)p;
  for (char c = 0;; c++) {
    if (send(ends[me][0], &c, 1, 0) != 1) break;
    sent[me] = sent[me] + 1;
  }
  return p;
}
int main(void) {
  pthread_t t[2];
  char buffer[256];
  long got = 0;
  for (long i = 0; i < 2; i++) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i])) return 1;
    pthread_create(&t[i], NULL, sender, (void*)i);
  }
  for (int i = 0; i < 40; i++) {
    long n = read(ends[i % 2][1], buffer, sizeof buffer);
    if (n < 1) return 2;
    got += n * (i + 1);
  }
  printf("%ld %ld %ld\n", got, sent[0], sent[1]);
  return 0;
}
