#include "tools/hunt_bisect.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/status.h"
#include "tools/terminal.h"

namespace heddle {
namespace {

enum BisectStatus : int { kGood = 0, kBad = 1, kSkip = 125, kGiveUp = 129 };

[[noreturn]] void become_shell(const std::string& command) {
  const int null = open("/dev/null", O_RDONLY);  // standard input is for the program
  if (null >= 0) dup2(null, 0);
  dup2(2, 1);  // standard output is for the answer
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

bool wants_bisect(int argc, char** argv) {
  for (int i = 0; i < argc && std::string_view(argv[i]) != "--"; i++)
    if (std::string_view(argv[i]) == "--bisect") return true;
  return false;
}

int bisect_status(const std::function<int()>& hunt, const bool& understood) {
  int status = kOurBug;
  try {
    status = hunt();
  } catch (const std::exception& problem) {
    say(stderr, "heddle: this is a bug in heddle, so this commit is skipped: {}\n", problem.what());
  }
  switch (status) {
    case kClean:
      return kGood;
    case kFound:
      return kBad;
    case kInterruptedExit:
      return status;
    case kUsage:
      return understood ? kSkip : kGiveUp;
    default:
      return kSkip;
  }
}

Status build_first(const std::string& command) {
  if (command.empty()) return {};
  const pid_t pid = fork();
  if (pid == 0) become_shell(command);
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (pid < 0) return error(fmt::format("cannot start '{}': {}", command, std::strerror(errno)));
  if (WIFSIGNALED(status)) return error(fmt::format("'{}' was killed by signal {}", command, WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return error(fmt::format("'{}' failed: status {}", command, WEXITSTATUS(status)));
  return {};
}

}  // namespace heddle
