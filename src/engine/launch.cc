// Rules of this file: between fork and exec only system calls on memory prepared before (the host has threads).
#include "src/engine/launch.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/region.h"
#include "src/engine/process_tree.h"

namespace heddle {
namespace {

constexpr std::size_t kRoundBytes = 4096, kRoundStrings = 64;
constexpr std::string_view kPad = "HEDDLE_PAD=";

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

// What the child tells its parent over a pipe that exec closes.
struct Report {
  enum Stage : int { kAslrOff = 1, kCwd, kStreams, kExec } stage;
  int error;
};

struct ChildPlan {
  const char* path;
  const char* cwd;
  char* const* argv;
  char* const* envp;
  StandardStreams streams;
  int region_fd, region_number, report_fd;
  pid_t parent;
};

[[noreturn]] void fail_child(const ChildPlan& plan, Report::Stage stage) {
  Report report{stage, errno};
  if (write(plan.report_fd, &report, sizeof report) < 0) _exit(126);
  _exit(127);
}

void default_signals() {
  for (int number = 1; number < 32; number++)
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void run_child(const ChildPlan& plan) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // kept over exec: what its runs leave behind stays below it
  setsid();                          // no terminal: the same for every run, and ctrl-C is heddle's alone
  default_signals();
  // 1, not 0: also keeps a core_pattern that is a pipe from being started (core(5)).
  rlimit core{1, 1};
  setrlimit(RLIMIT_CORE, &core);
  int persona = personality(0xffffffff);
  if (persona >= 0 && personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) >= 0) {
    Report report{Report::kAslrOff, 0};
    if (write(plan.report_fd, &report, sizeof report) < 0) _exit(127);
  }
  if (chdir(plan.cwd) != 0) fail_child(plan, Report::kCwd);
  if (dup2(plan.streams.in, 0) < 0 || dup2(plan.streams.out, 1) < 0 || dup2(plan.streams.err, 2) < 0)
    fail_child(plan, Report::kStreams);
  syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  if (plan.region_fd >= 0 && dup2(plan.region_fd, plan.region_number) < 0) fail_child(plan, Report::kStreams);
  execve(plan.path, plan.argv, plan.envp);
  fail_child(plan, Report::kExec);
}

Error describe(const Launch& launch, const Report& report) {
  const char* why = std::strerror(report.error);
  switch (report.stage) {
    case Report::kCwd: return {fmt::format("cannot enter {}: {}", launch.cwd.string(), why), {}};
    case Report::kExec: return {fmt::format("cannot execute {}: {}", launch.program.string(), why), {}};
    default: return {fmt::format("cannot set up descriptors for {}: {}", launch.program.string(), why), {}};
  }
}

}  // namespace

std::vector<std::string> padded_environment(const Launch& launch, int region_number) {
  std::vector<std::string> out;
  for (const std::string& entry : launch.environment)
    if (!entry.starts_with("HEDDLE_") && !entry.starts_with("LD_BIND_NOW=")) out.push_back(entry);
  out.emplace_back("LD_BIND_NOW=1");  // symbols are bound once, in the server; the runtime hides it from the program
  out.push_back(fmt::format("{}={}", HEDDLE_REGION_ENV, region_number));
  do out.emplace_back(kPad);
  while ((launch.argv.size() + out.size()) % kRoundStrings != 0);
  std::size_t bytes = launch.program.native().size() + 1;
  for (const std::string& s : launch.argv) bytes += s.size() + 1;
  for (const std::string& s : out) bytes += s.size() + 1;
  out.back().append((kRoundBytes - bytes % kRoundBytes) % kRoundBytes, 'x');
  return out;
}

Result<Spawned> spawn(const Launch& launch, const StandardStreams& streams, int region_fd) {
  rlimit files{};
  const bool few = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur <= kRegionNumber;
  const int region_number = few ? static_cast<int>(files.rlim_cur) - 1 : kRegionNumber;
  std::vector<std::string> environment = padded_environment(launch, region_number);
  std::vector<char*> argv = pointers(launch.argv), envp = pointers(environment);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  ChildPlan plan{launch.program.c_str(), launch.cwd.c_str(), argv.data(), envp.data(), streams, region_fd, region_number, report[1], getpid()};
  pid_t pid = fork_registered([&] { run_child(plan); });
  int fork_error = errno;
  close(report[1]);
  Spawned spawned{pid, false};
  Report message{};
  std::optional<Error> failed;
  if (pid < 0) failed = Error{fmt::format("cannot fork: {}", std::strerror(fork_error)), {}};
  while (pid > 0 && read(report[0], &message, sizeof message) == sizeof message) {
    if (message.stage == Report::kAslrOff)
      spawned.aslr_off = true;
    else
      failed = describe(launch, message);
  }
  close(report[0]);
  if (!failed) return spawned;
  if (pid > 0) end_process(pid);
  return std::unexpected(*failed);
}

}  // namespace heddle
