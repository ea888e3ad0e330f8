#include "src/engine/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle {
namespace {

struct Roots {
  std::mutex mutex;
  std::set<pid_t> alive;
};
Roots& roots() {
  static Roots instance;
  return instance;
}

// /proc/<pid>/task/<tid>/children: one line of numbers.
void append_children(const char* path, std::vector<pid_t>& out) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(fd);
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    auto [next, problem] = std::from_chars(at, end, pid);
    if (problem == std::errc() && pid > 0) out.push_back(pid);
    at = std::max(next, at + 1);
  }
}

std::vector<pid_t> children(pid_t pid) {
  std::vector<pid_t> out;
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), none))
    append_children((task.path() / "children").c_str(), out);
  return out;
}

bool is_zombie(pid_t pid) {
  int fd = open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char buffer[512];
  ssize_t n = read(fd, buffer, sizeof buffer);
  close(fd);
  std::string_view text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  std::size_t name_end = text.rfind(')');  // "pid (name) S ...", the name may hold anything
  return name_end == text.npos || name_end + 2 >= text.size() || text[name_end + 2] == 'Z';
}

// What fell to heddle because its root is dead: every child of ours that is no root.
void end_adopted() {
  std::vector<pid_t> strays;
  {
    std::lock_guard lock(roots().mutex);
    for (pid_t pid : children(getpid()))
      if (!roots().alive.contains(pid)) strays.push_back(pid);
  }
  for (pid_t pid : strays) {
    kill_leftovers(pid, {});
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

pid_t fork_registered(const std::function<void()>& child) {
  std::lock_guard lock(roots().mutex);
  pid_t pid = fork();
  if (pid == 0) {
    child();
    _exit(127);
  }
  if (pid > 0) roots().alive.insert(pid);
  return pid;
}

int end_process(pid_t root) {
  // From the top: a script must not go on when what it waits for is killed.
  std::vector<pid_t> below = descendants(root);
  kill(root, SIGKILL);
  for (pid_t pid : below) kill(pid, SIGKILL);
  int status = -1;
  while (waitpid(root, &status, 0) < 0)
    if (errno != EINTR) break;
  {
    std::lock_guard lock(roots().mutex);
    roots().alive.erase(root);
  }
  end_adopted();
  return status;
}

std::vector<pid_t> descendants(pid_t pid) {
  std::vector<pid_t> out = children(pid);
  for (std::size_t i = 0; i < out.size(); i++) {
    for (pid_t below : children(out[i]))
      if (std::find(out.begin(), out.end(), below) == out.end()) out.push_back(below);
  }
  return out;
}

std::size_t kill_leftovers(pid_t root, std::span<const pid_t> keep) {
  std::set<pid_t> killed;
  // Rounds, because a dying tree may still fork, and because death takes a moment; a fork bomb is given up on after a
  // second.
  for (int round = 0; round < 1000; round++) {
    bool alive = false;
    for (pid_t pid : descendants(root)) {
      if (std::find(keep.begin(), keep.end(), pid) != keep.end() || is_zombie(pid)) continue;
      if (kill(pid, SIGKILL) == 0) killed.insert(pid);
      alive = true;
    }
    if (!alive) break;
    usleep(1000);
  }
  return killed.size();
}

}  // namespace heddle
