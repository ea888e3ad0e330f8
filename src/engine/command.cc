#include "src/engine/command.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

// Both pipes until they are closed; false: out of time.
bool drain(std::array<int, 2> from, std::array<std::string*, 2> to, Clock::time_point deadline) {
  std::array<pollfd, 2> waits{pollfd{from[0], POLLIN, 0}, pollfd{from[1], POLLIN, 0}};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || poll(waits.data(), waits.size(), static_cast<int>(left)) == 0) return false;
    for (std::size_t i = 0; i < waits.size(); i++) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t n = read(waits[i].fd, buffer, sizeof buffer);
      if (n > 0)
        to[i]->append(buffer, static_cast<std::size_t>(n));
      else
        waits[i].fd = -1;
    }
  }
  return true;
}

[[noreturn]] void become_shell(const std::string& command) {
  const int null = open("/dev/null", O_RDONLY);  // standard input is for the program
  if (null >= 0) dup2(null, 0);
  dup2(2, 1);  // standard output is for the answer
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Said run_command(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                 const std::filesystem::path& folder, std::chrono::seconds limit) {
  Said said;
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0) return said;
  if (pipe2(err, O_CLOEXEC) != 0) return close(out[0]), close(out[1]), said;
  std::vector<char*> words = pointers(argv), variables = pointers(environment);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setsid();
    const int null = open("/dev/null", O_RDONLY);
    if (dup2(null, 0) < 0 || dup2(out[1], 1) < 0 || dup2(err[1], 2) < 0 || chdir(folder.c_str()) != 0) _exit(127);
    execve(words[0], words.data(), variables.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  if (pid > 0) {
    const bool in_time = drain({out[0], err[0]}, {&said.out, &said.err}, Clock::now() + limit);
    if (!in_time) kill(-pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    if (in_time) said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  close(out[0]);
  close(err[0]);
  return said;
}

Status run_in_shell(const std::string& command) {
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

std::string last_line_of(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == text.npos) return {};
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1) + 1);
}

}  // namespace heddle
