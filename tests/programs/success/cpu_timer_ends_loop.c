// expect: clean   Who does nothing but spin uses CPU time: a timer that counts it ends the loop.
// laws: none, a schedule that is cut inside the loop is one of a livelock
#include <signal.h>
#include <sys/time.h>
static volatile sig_atomic_t expired;
static void expires(int unused) { expired += unused != 0; }
int main(void) {
  const struct itimerval one = {{0, 0}, {1, 0}};
  signal(SIGVTALRM, expires);
  setitimer(ITIMER_VIRTUAL, &one, 0);
  while (!expired) {}
  return 0;
}
