// Signals from itself and from timers, masks, EINTR; ends by SIGTERM.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
volatile int hits, usr2;
volatile sig_atomic_t alarms;
void h(int s) { hits++; }
void h2(int s, siginfo_t* i, void*) { usr2 = i->si_pid; }
void ha(int) { alarms++; }
int main() {
  signal(SIGUSR1, h);
  raise(SIGUSR1);
  printf("raise %d\n", hits);
  kill(getpid(), SIGUSR1);
  printf("kill %d\n", hits);
  pthread_kill(pthread_self(), SIGUSR1);
  printf("pthread_kill %d\n", hits);
  struct sigaction sa{}, old;
  sa.sa_sigaction = h2;
  sa.sa_flags = SA_SIGINFO;
  sigfillset(&sa.sa_mask);
  sigaction(SIGUSR2, &sa, &old);
  kill(getpid(), SIGUSR2);
  printf("usr2 %d\n", usr2 == getpid());
  sigaction(SIGUSR2, 0, &old);
  printf("same %d\n", old.sa_sigaction == h2);
  sigset_t all, o;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &o);
  kill(getpid(), SIGUSR1);
  printf("blocked %d\n", hits);
  int f = getppid();
  (void)f;
  sigset_t w;
  sigemptyset(&w);
  sigaddset(&w, SIGUSR1);
  int sig = 0;
  sigwait(&w, &sig);
  printf("sigwait %d\n", sig);
  kill(getpid(), SIGUSR1);
  sigprocmask(SIG_SETMASK, &o, 0);
  printf("unblocked %d\n", hits);
  signal(SIGALRM, ha);
  itimerval it{{0, 10000}, {0, 10000}};
  setitimer(ITIMER_REAL, &it, 0);
  int n = 0;
  while (alarms < 3) {
    getppid();
    n++;
  }
  it = {};
  setitimer(ITIMER_REAL, &it, 0);
  printf("alarms %d after %d\n", alarms, n);
  alarm(1);
  int r = pause();
  printf("pause %d %s %d\n", r, strerror(errno), alarms >= 4);
  int p[2];
  pipe(p);
  struct sigaction ra{};
  ra.sa_handler = ha;
  ra.sa_flags = 0;
  sigaction(SIGALRM, &ra, 0);
  alarm(1);
  char b;
  r = read(p[0], &b, 1);
  printf("read %d %s\n", r, strerror(errno));
  sigemptyset(&w);
  alarm(1);
  r = sigsuspend(&w);
  printf("sigsuspend %d %s\n", r, strerror(errno));
  fflush(stdout);
  signal(SIGTERM, SIG_DFL);
  kill(getpid(), SIGTERM);
  printf("not reached\n");
}
