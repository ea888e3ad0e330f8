// Counts the instructions that a hook executes for an access that is no scheduling point and that the detector has seen
// in the same interval: at most 40 (issue "How fast"). A child calls the hooks of the real runtime; we single-step it.
//
// The runtime's state is set up by hand as control would have it: one thread, detector on.
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "abi/hooks.h"
#include "runtime/detector/clock.h"
#include "runtime/detector/detector.h"

namespace {

constexpr int kLimit = 40;

using Hook = void (*)(const volatile void*, HeddleSite*);
struct Case {
  const char* name;
  Hook hook;
};
const Case kCases[] = {
    {"__heddle_read1", __heddle_read1},     {"__heddle_read2", __heddle_read2},   {"__heddle_read4", __heddle_read4},
    {"__heddle_read8", __heddle_read8},     {"__heddle_read16", __heddle_read16}, {"__heddle_write1", __heddle_write1},
    {"__heddle_write2", __heddle_write2},   {"__heddle_write4", __heddle_write4}, {"__heddle_write8", __heddle_write8},
    {"__heddle_write16", __heddle_write16},
};

alignas(32) HeddleSite site;
alignas(64) char memory[16 * 2 * sizeof kCases / sizeof kCases[0]];

char* place(const Case& c) { return memory + 32 * (&c - kCases); }

void become_controlled() {
  using namespace heddle::rt;
  region = static_cast<HeddleRegion*>(calloc(1, sizeof(HeddleRegion)));
  static Thread main;
  main = Thread{};
  main.budget = 1 << 30;
  detector::prepare();
  detector::start();
  detector::attach(main);
  self = &main;
  mode = Mode::kControlled;
}

[[noreturn]] void child() {
  become_controlled();
  for (const Case& c : kCases) c.hook(place(c), &site);  // the first access of the interval
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  for (const Case& c : kCases) {
    __asm__ volatile("int3" ::: "memory");
    c.hook(place(c), &site);
  }
  _exit(0);
}

user_regs_struct registers(pid_t pid) {
  user_regs_struct r{};
  ptrace(PTRACE_GETREGS, pid, nullptr, &r);
  return r;
}

bool stopped(pid_t pid) {
  int status;
  return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

bool step(pid_t pid) { return ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr) == 0 && stopped(pid); }

// The child runs to its next int3; then we count from the entry of `hook` to its return. -1 if the child is lost.
int count(pid_t pid, Hook hook) {
  if (!stopped(pid)) return -1;
  while (registers(pid).rip != reinterpret_cast<unsigned long>(hook)) {
    if (!step(pid)) return -1;
  }
  unsigned long entry = registers(pid).rsp;
  int instructions = 0;
  while (registers(pid).rsp <= entry) {
    if (!step(pid)) return -1;
    if (++instructions > 100000) break;
  }
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  return instructions;
}

}  // namespace

int main() {
  pid_t pid = fork();
  if (pid == 0) child();
  bool good = true;
  for (const Case& c : kCases) {
    int n = count(pid, c.hook);
    bool fits = n > 0 && n <= kLimit;
    printf("%-18s %4d %s\n", c.name, n, fits ? "" : "TOO MANY");
    good &= fits;
  }
  ptrace(PTRACE_KILL, pid, nullptr, nullptr);
  waitpid(pid, nullptr, 0);
  printf("%s: at most %d instructions in the hook of an access that is no scheduling point\n", good ? "ok" : "FAILED",
         kLimit);
  return good ? 0 : 1;
}
