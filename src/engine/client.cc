#include "src/engine/client.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/engine/descriptor.h"
#include "src/engine/process_tree.h"

namespace heddle {
namespace {

Descriptor name_space(pid_t pid, const char* kind) {
  return Descriptor(open(fmt::format("/proc/{}/ns/{}", pid, kind).c_str(), O_RDONLY | O_CLOEXEC));
}

struct ClientPlan {
  char* const* argv;
  char* const* envp;
  const char* cwd;
  int network, user;  // namespaces; -1: this process's own
};

// Between fork and exec: system calls only.
[[noreturn]] void run_client(const ClientPlan& plan) {
  // Without privileges only those of the program's user namespace allow to enter its network.
  if (plan.network >= 0 && setns(plan.network, CLONE_NEWNET) != 0 &&
      (setns(plan.user, CLONE_NEWUSER) != 0 || setns(plan.network, CLONE_NEWNET) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  if (dup2(nothing, 0) < 0 || dup2(2, 1) < 0 || chdir(plan.cwd) != 0) _exit(126);
  syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  execve("/bin/sh", plan.argv, plan.envp);
  _exit(127);
}

}  // namespace

Result<std::unique_ptr<Client>> Client::start(const std::string& command, const Launch& launch, pid_t program,
                                              std::function<void()> on_end) {
  std::vector<std::string> words{"sh", "-c", command}, environment = launch.environment;
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& entry : environment) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  Descriptor network, user;
  if (launch.network == Network::kOwn) network = name_space(program, "net"), user = name_space(program, "user");
  const ClientPlan plan{argv.data(), envp.data(), launch.cwd.c_str(), network.get(), user.get()};

  std::unique_ptr<Client> client(new Client);
  client->pid_ = fork_registered([&] { run_client(plan); });
  if (client->pid_ < 0) return error(fmt::format("cannot start the client: {}", std::strerror(errno)));
  client->watcher_ = std::thread([client = client.get(), on_end = std::move(on_end)] {
    siginfo_t end{};
    while (waitid(P_PID, static_cast<id_t>(client->pid_), &end, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    client->wait_status_ = end.si_code == CLD_EXITED ? end.si_status << 8 : end.si_status;
    client->ended_ = true;
    on_end();
  });
  return client;
}

Client::~Client() {
  if (watcher_.joinable() && !ended()) kill(pid_, SIGKILL);
  if (watcher_.joinable()) watcher_.join();
  if (pid_ > 0) end_process(pid_);
}

}  // namespace heddle
