// Rules of this file: between fork and exec only system calls on memory prepared before (the host has threads).
#include "src/engine/launch.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/region.h"
#include "src/engine/process_tree.h"

namespace heddle {
namespace {

constexpr std::size_t kRoundBytes = 4096, kRoundStrings = 64;
constexpr std::string_view kPad = "HEDDLE_PAD=", kPreload = "LD_PRELOAD=";

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

// What the child tells its parent over a pipe that exec closes.
struct Report {
  enum Stage : int { kAslrOff = 1, kOwnNetwork, kCwd, kStreams, kExec } stage;
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
  bool own_network;
  const char *uid_map, *gid_map;  // identity, for a user namespace
};

[[noreturn]] void fail_child(const ChildPlan& plan, Report::Stage stage) {
  Report report{stage, errno};
  if (write(plan.report_fd, &report, sizeof report) < 0) _exit(126);
  _exit(127);
}

void tell(const ChildPlan& plan, Report::Stage stage) {
  Report report{stage, 0};
  if (write(plan.report_fd, &report, sizeof report) < 0) _exit(127);
}

bool write_file(const char* path, const char* text) {
  int fd = open(path, O_WRONLY);
  bool written = fd >= 0 && write(fd, text, strlen(text)) >= 0;
  if (fd >= 0) close(fd);
  return written;
}

bool raise_loopback() {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  bool up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  if (fd >= 0) close(fd);
  return up;
}

// Each run finds the ports free: what the one before it closed must not linger (TIME_WAIT).
bool raise_network() {
  write_file("/proc/sys/net/ipv4/tcp_max_tw_buckets", "0");
  return raise_loopback();
}

// Without privileges a user namespace gives them, with the user's own number inside.
bool take_own_network(const ChildPlan& plan) {
  if (unshare(CLONE_NEWNET) == 0) return raise_network();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  write_file("/proc/self/setgroups", "deny");
  return write_file("/proc/self/uid_map", plan.uid_map) && write_file("/proc/self/gid_map", plan.gid_map) &&
         raise_network();
}

void default_signals() {
  for (int number = 1; number < 32; number++)
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// What could not be done; errno says why.
Report::Stage run_program(const ChildPlan& plan) {
  if (plan.own_network && take_own_network(plan)) tell(plan, Report::kOwnNetwork);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // kept over exec: what its runs leave behind stays below it
  setsid();                          // no terminal: the same for every run, and ctrl-C is heddle's alone
  default_signals();
  // 1, not 0: also keeps a core_pattern that is a pipe from being started (core(5)).
  rlimit core{1, 1};
  setrlimit(RLIMIT_CORE, &core);
  int persona = personality(0xffffffff);
  if (persona >= 0 && personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) >= 0)
    tell(plan, Report::kAslrOff);
  if (chdir(plan.cwd) != 0) return Report::kCwd;
  if (dup2(plan.streams.in, 0) < 0 || dup2(plan.streams.out, 1) < 0 || dup2(plan.streams.err, 2) < 0)
    return Report::kStreams;
  syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  if (plan.region_fd >= 0 && dup2(plan.region_fd, plan.region_number) < 0) return Report::kStreams;
  execve(plan.path, plan.argv, plan.envp);
  return Report::kExec;
}

Error describe(const Launch& launch, const Report& report) {
  const char* why = std::strerror(report.error);
  switch (report.stage) {
    case Report::kCwd:
      return {fmt::format("cannot enter {}: {}", launch.cwd.string(), why), {}};
    case Report::kExec:
      return {fmt::format("cannot execute {}: {}", launch.program.string(), why), {}};
    default:
      return {fmt::format("cannot set up descriptors for {}: {}", launch.program.string(), why), {}};
  }
}

int region_number_here() {
  rlimit files{};
  const bool few = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur <= kRegionNumber;
  return few ? static_cast<int>(files.rlim_cur) - 1 : kRegionNumber;
}

}  // namespace

std::vector<std::string> padded_environment(const Launch& launch, int region_number) {
  std::vector<std::string> out;
  std::string preloads = launch.preload.string();
  for (const std::string& entry : launch.environment) {
    if (entry.starts_with("HEDDLE_") || entry.starts_with("LD_BIND_NOW=")) continue;
    if (!launch.preload.empty() && entry.starts_with(kPreload))
      preloads += ':' + entry.substr(kPreload.size());  // the user's own, behind ours
    else
      out.push_back(entry);
  }
  if (!launch.preload.empty()) {
    out.push_back(std::string(kPreload) + preloads);
    out.emplace_back(HEDDLE_PRELOAD_ENV "=1");
  }
  if (!launch.follow.empty()) out.push_back(HEDDLE_FOLLOW_ENV "=" + launch.follow.string());
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
  const int region_number = region_number_here();
  std::vector<std::string> environment = padded_environment(launch, region_number);
  std::vector<char*> argv = pointers(launch.argv), envp = pointers(environment);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::string uid_map = fmt::format("{0} {0} 1\n", geteuid()), gid_map = fmt::format("{0} {0} 1\n", getegid());
  ChildPlan plan{launch.program.c_str(),
                 launch.cwd.c_str(),
                 argv.data(),
                 envp.data(),
                 streams,
                 region_fd,
                 region_number,
                 report[1],
                 getpid(),
                 launch.network == Network::kOwn,
                 uid_map.c_str(),
                 gid_map.c_str()};
  pid_t pid = fork_registered([&] { fail_child(plan, run_program(plan)); });
  int fork_error = errno;
  close(report[1]);
  Spawned spawned{.pid = pid};
  Report message{};
  std::optional<Error> failed;
  if (pid < 0) failed = Error{fmt::format("cannot fork: {}", std::strerror(fork_error)), {}};
  while (pid > 0 && read(report[0], &message, sizeof message) == sizeof message) {
    if (message.stage == Report::kAslrOff)
      spawned.aslr_off = true;
    else if (message.stage == Report::kOwnNetwork)
      spawned.own_network = true;
    else
      failed = describe(launch, message);
  }
  close(report[0]);
  if (!failed) return spawned;
  if (pid > 0) end_process(pid);
  return std::unexpected(*failed);
}

Error become(const Launch& launch, const StandardStreams& streams, int region_fd) {
  const int region_number = region_number_here(), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::vector<std::string> environment = padded_environment(launch, region_number);
  std::vector<char*> argv = pointers(launch.argv), envp = pointers(environment);
  const std::string uid_map = fmt::format("{0} {0} 1\n", geteuid()), gid_map = fmt::format("{0} {0} 1\n", getegid());
  const ChildPlan plan{.path = launch.program.c_str(),
                       .cwd = launch.cwd.c_str(),
                       .argv = argv.data(),
                       .envp = envp.data(),
                       .streams = streams,
                       .region_fd = region_fd,
                       .region_number = region_number,
                       .report_fd = nowhere,
                       .parent = getppid(),
                       .own_network = launch.network == Network::kOwn,
                       .uid_map = uid_map.c_str(),
                       .gid_map = gid_map.c_str()};
  const Report::Stage stage = run_program(plan);
  return describe(launch, Report{stage, errno});
}

}  // namespace heddle
