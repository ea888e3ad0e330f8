// expect: clean
// A futex word that others change beside the wait: whether it still was the expected one is decided where the replay decides it.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <thread>

std::atomic<int> word{0};

int main() {
  std::thread others[2];
  for (auto& o : others)
    o = std::thread([] {
      for (int i = 0; i < 2000; i++) {
        word++;
        for (int pause = 0; pause < 100; pause++) __asm__ volatile("");
      }
    });
  int waits = 0, changed = 0;
  for (int seen; (seen = word) < 4000; waits++) {
    timespec moment{0, 1000};
    changed += syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &moment, nullptr, 0) && errno == EAGAIN;
  }
  for (auto& o : others) o.join();
  std::printf("%d waits, %d times it had changed\n", waits, changed);
}
