// expect: clean   A write that need not wait is not interrupted: signals without SA_RESTART come all the time, and the pipe is nearly empty.
// hunt: --max-steps 2000000
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
enum { kBytes = 300 };
static int ends[2];
static pthread_t writer;
static atomic_int writing = 1;
static void handle(int number) { (void)number; }
static void* reads(void* unused) {
  char byte;
  for (int got = 0; got < kBytes;) {
    const ssize_t n = read(ends[0], &byte, 1);
    if (n != 1) abort();  // its thread gets no signal
    got++;
  }
  return unused;
}
static void* signals(void* unused) {
  while (writing) {
    pthread_kill(writer, SIGUSR2);
    usleep(20);
  }
  return unused;
}
int main(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR2, &action, 0);
  if (pipe(ends)) return 2;
  writer = pthread_self();
  pthread_t reader, killer;
  pthread_create(&reader, 0, reads, 0);
  pthread_create(&killer, 0, signals, 0);
  for (int i = 0; i < kBytes; i++) {
    if (write(ends[1], "x", 1) != 1) abort();
    for (volatile int k = 0; k < 1000; k++) {}
  }
  writing = 0;
  pthread_join(killer, 0);
  pthread_join(reader, 0);
  return 0;
}
