// expect: clean   A timer lives as long as one of its descriptors.
#include <assert.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>
int main(void) {
  const struct itimerspec soon = {{0, 0}, {0, 1000000}};
  const int first = timerfd_create(CLOCK_MONOTONIC, 0), copy = dup(first), far = dup2(first, 2000) < 0 ? dup(first) : 2000;
  uint64_t times;
  assert(timerfd_settime(first, 0, &soon, 0) == 0 && dup2(first, first) == first);
  close(first);
  assert(read(copy, &times, sizeof times) == sizeof times && times == 1);
  assert(timerfd_settime(copy, 0, &soon, 0) == 0);
  close(copy);
  assert(read(far, &times, sizeof times) == sizeof times && times == 1);
  close(far);
  return 0;
}
