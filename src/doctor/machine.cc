// Rules of this file: what changes a process is asked of a child, which ends.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <functional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/doctor/doctor.h"

namespace heddle {
namespace {

constexpr int kSetDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH

// 0, or the errno with which `ask` failed in a child of its own.
int asked_in_child(const std::function<bool()>& ask) {
  const pid_t pid = fork();
  if (pid == 0) _exit(ask() ? 0 : errno != 0 ? errno : EINVAL);
  int status = 0;
  if (pid < 0) return errno;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

// What `look` says about a child that waits; 0, or an errno.
int asked_about_child(const std::function<bool(pid_t)>& look) {
  const pid_t pid = fork();
  if (pid == 0)
    for (;;) pause();
  if (pid < 0) return errno;
  errno = 0;
  const int failed = look(pid) ? 0 : errno != 0 ? errno : EINVAL;
  kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
  }
  return failed;
}

Finding finding(const char* name, int failed, Verdict if_failed, std::string fine, const std::string& broken,
                std::string advice) {
  if (failed == 0) return {name, Verdict::kFine, std::move(fine), ""};
  return {name, if_failed, fmt::format("{} ({})", broken, std::strerror(failed)), std::move(advice)};
}

bool dispatches_calls() {
  static volatile char selector = 0;  // lets everything through
  return prctl(kSetDispatch, 1, 0, 0, &selector) == 0;
}

bool own_network() { return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; }

bool no_randomisation() {
  const int now = personality(0xffffffff);
  return now >= 0 && personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) >= 0;
}

bool sees_memory(pid_t pid) {
  static char theirs = 'x';
  char ours = 0;
  const iovec local{&ours, 1}, remote{&theirs, 1};
  if (process_vm_readv(pid, &local, 1, &remote, 1, 0) == 1) return ours == 'x';
  const int fd = open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC);
  return fd >= 0 && pread(fd, &ours, 1, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(&theirs))) == 1 &&
         ours == 'x';
}

bool stops_process(pid_t pid) {
  int status = 0;
  return ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 && ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0 &&
         waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status);
}

bool shares_memory() {
  const int fd = memfd_create("doctor", MFD_CLOEXEC);
  return fd >= 0 && ftruncate(fd, 1 << 30) == 0 &&
         mmap(nullptr, 1 << 30, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
}

}  // namespace

bool fibers_possible() { return (getauxval(AT_HWCAP2) & 2) != 0; }

std::vector<Finding> check_machine() {
  utsname machine{};
  uname(&machine);
  std::vector<Finding> out;
  const bool right = std::strcmp(machine.machine, "x86_64") == 0;
  out.push_back({"machine", right ? Verdict::kFine : Verdict::kBroken,
                 fmt::format("{} {} {}, as user {}", machine.sysname, machine.release, machine.machine, geteuid()),
                 right ? "" : "heddle controls x86-64 programs only"});
  out.push_back(finding("system calls", asked_in_child(dispatches_calls), Verdict::kBroken,
                        "can be trapped (Syscall User Dispatch): what a program reads is recorded and fed back",
                        "cannot be trapped: what a program reads from outside is neither recorded nor fed back, so "
                        "replays of programs that read anything may diverge",
                        "needs Linux 5.11 and a sandbox that lets prctl(PR_SET_SYSCALL_USER_DISPATCH) through"));
  out.push_back(finding("shared memory", asked_in_child(shares_memory), Verdict::kBroken, "memfd works",
                        "memfd_create does not work: no run can be started", "allow it in the sandbox"));
  out.push_back(finding("addresses", asked_in_child(no_randomisation), Verdict::kBroken,
                        "randomisation can be switched off for the program",
                        "randomisation cannot be switched off: programs that depend on addresses diverge in a replay",
                        "allow personality(ADDR_NO_RANDOMIZE) in the sandbox"));
  out.push_back(finding("stacks", asked_about_child(sees_memory), Verdict::kBroken,
                        "of a failing program can be read from outside",
                        "of a failing program cannot be read from outside: failures have no stacks and no signatures",
                        "allow process_vm_readv or /proc/PID/mem for own children"));
  out.push_back(finding("hangs", asked_about_child(stops_process), Verdict::kLess,
                        "a program that hangs can be stopped (ptrace), and --gdb can attach",
                        "ptrace is not allowed: a hang has no stack, and gdb cannot be used",
                        "allow ptrace of own children"));
  out.push_back(finding("network", asked_in_child(own_network), Verdict::kLess,
                        "each worker can have a network of its own",
                        "no namespaces: ports of one run can collide with those of another", "use --workers 1"));
  out.push_back(
      {"fibers", fibers_possible() ? Verdict::kFine : Verdict::kLess,
       fibers_possible() ? "FSGSBASE is available" : "no FSGSBASE: backend=fibers falls back to baton, which is slower",
       fibers_possible() ? "" : "Linux 5.9 and a processor or VM that shows the feature"});
  return out;
}

}  // namespace heddle
