// expect: clean
// A signal is due when futex() is called, and its handler sets the word without a wake-up: it runs before the word is compared, or the wait ends.
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

std::atomic<int> flag{0};

__attribute__((noinline)) long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main() {
  struct sigaction action {};
  action.sa_handler = [](int) { flag = 1; };
  sigaction(SIGALRM, &action, nullptr);
  itimerval soon{{0, 0}, {0, 2000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  const long computed = fib(28);
  while (!flag) syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  std::printf("%ld\n", computed);
}
