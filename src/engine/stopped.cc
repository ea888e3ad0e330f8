#include "src/engine/stopped.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

namespace heddle {
namespace {

std::optional<HeddleRegs> registers(pid_t tid) {
  user_regs_struct r;
  if (ptrace(PTRACE_GETREGS, tid, nullptr, &r) != 0) return std::nullopt;
  return HeddleRegs{r.rip, r.rsp, r.rbp, r.rbx, r.r12, r.r13, r.r14, r.r15, r.rax,
                    r.rcx, r.rdx, r.rsi, r.rdi, r.r8,  r.r9,  r.r10, r.r11};
}

bool stop(pid_t tid) {
  if (ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) return false;
  int status = 0;
  if (ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr) == 0 && waitpid(tid, &status, __WALL) == tid &&
      WIFSTOPPED(status))
    return true;
  ptrace(PTRACE_DETACH, tid, nullptr, nullptr);
  return false;
}

}  // namespace

Stopped::Stopped(pid_t pid) {
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), none)) {
    std::string name = task.path().filename().string();
    pid_t tid = 0;
    std::from_chars(name.data(), name.data() + name.size(), tid);
    if (tid > 0 && stop(tid)) tids_.push_back(tid);
  }
}

Stopped::~Stopped() {
  for (pid_t tid : tids_) ptrace(PTRACE_DETACH, tid, nullptr, nullptr);
}

std::optional<Stopped::Running> Stopped::running(std::span<const HeddleThreadInfo> threads) const {
  for (std::uint32_t i = 0; i < threads.size(); i++) {
    const HeddleThreadInfo& thread = threads[i];
    if (thread.state != HEDDLE_T_RUNNING) continue;
    for (pid_t tid : tids_) {
      std::optional<HeddleRegs> regs = registers(tid);
      if (!regs) continue;
      bool on_its_stack =
          thread.stack_low < thread.stack_high && regs->rsp >= thread.stack_low && regs->rsp < thread.stack_high;
      bool unknown_stack = thread.stack_low >= thread.stack_high;
      if (on_its_stack || (unknown_stack && tid == thread.tid)) return Running{i, *regs};
    }
  }
  return std::nullopt;
}

pid_t task_with_memory(pid_t pid) {
  const auto has_memory = [](pid_t task) {
    std::ifstream maps(fmt::format("/proc/{}/maps", task));
    return maps && maps.peek() != std::ifstream::traits_type::eof();
  };
  if (pid <= 0 || has_memory(pid)) return pid;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), none)) {
    const pid_t task = static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
    if (task > 0 && has_memory(task)) return task;
  }
  return pid;
}

}  // namespace heddle
