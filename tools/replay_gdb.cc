#include "tools/replay_gdb.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/engine/find_program.h"
#include "src/engine/process_tree.h"
#include "src/gdb/session.h"
#include "src/trace/temporary_folder.h"
#include "tools/status.h"
#include "tools/terminal.h"

namespace heddle {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSession = "HEDDLE_GDB_SESSION";  // folder, for heddle.py
constexpr const char* kStopAt = "HEDDLE_GDB_STOP_AT";   // step, from heddle.py to the program's start

/// The ELF file behind what the user named; it and its libraries are those of the trace.
Result<fs::path> checked_program(Session& session) {
  session.worker().output = OutputMode::kCapture;
  if (Status ready = session.start(); !ready) return std::unexpected(ready.error());
  fs::path program = session.executor().worker().server_executable();
  session.end();
  return program;
}

[[noreturn]] void exec_gdb(const std::vector<std::string>& command, const std::string& session) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setenv(kSession, session.c_str(), 1);
  unsetenv(kStopAt);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

/// Waits without reaping: end_process() does that, with all that is below.
void await_end(pid_t pid, const std::atomic<bool>& stop) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR && !stop) {
  }
}

}  // namespace

int run_gdb(Session& session, const std::string& trace, const std::atomic<bool>& stop) {
  if (search_path("gdb", current_environment()).empty())
    return report_error("replay", {"gdb is not installed", "install the package gdb"});
  const auto program = checked_program(session);
  if (!program) return report_error("replay", program.error());
  std::error_code none;
  const fs::path heddle = fs::read_symlink("/proc/self/exe", none);
  const fs::path script = heddle.parent_path().parent_path() / "lib/heddle/gdb/heddle.py";
  if (!fs::exists(script, none))
    return report_error("replay", {"a part of heddle is missing: " + script.string(), "build or install heddle again"});
  const Result<TemporaryFolder> folder = TemporaryFolder::create("gdb");
  if (!folder) return report_error("replay", folder.error());
  const SessionPlan plan{folder->path(), fs::absolute(trace, none), *program, heddle};
  if (Status written = write_session(session.trace(), session.replayer(), plan); !written)
    return report_error("replay", written.error());
  const std::vector<std::string> command{
      "gdb", "-q", "-iex", "set debuginfod enabled off", "-x", script.string(), program->string()};
  const pid_t gdb = fork_registered([&] { exec_gdb(command, plan.folder.string()); });
  if (gdb < 0) return report_error("replay", {fmt::format("cannot fork: {}", std::strerror(errno)), ""});
  std::signal(SIGINT, SIG_IGN);  // ctrl-C is for gdb
  std::signal(SIGQUIT, SIG_IGN);
  await_end(gdb, stop);
  const int status = end_process(gdb);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kInterruptedExit;
}

int start_under_gdb(Session& session) {
  const WorkerOptions& worker = session.worker();
  const char* text = std::getenv(kStopAt);
  const std::uint64_t stop_at = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  StandardStreams streams{.in = worker.standard_input, .out = 1, .err = 2};
  if (streams.in < 0) streams.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return report_error("replay", start_program(session.replayer(), worker.launch, streams, stop_at));
}

}  // namespace heddle
