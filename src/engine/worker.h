// One program instance (a fork server, abi/region.h) with its region: executes one run at a time.
//
//   host (this file)                 server (runtime)                 child (runtime + program)
//   run parameters, server_go++ ---> forks (or did so ahead) -------> main() under control
//   drains the event ring <------------------------------------------ ring, bell
//   on_stopped, child_go <------------------------------------------- failure record, waits
//   run() returns <----------------- reaps, server_done, forks ahead
//
// A server that dies is replaced at the next run. Not thread-safe; a Worker lives on ONE thread: its program is killed
// by the kernel when that thread ends.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "abi/decision.h"
#include "src/engine/client.h"
#include "src/engine/descriptor.h"
#include "src/engine/environment.h"
#include "src/engine/launch.h"
#include "src/engine/output_drain.h"
#include "src/engine/region.h"
#include "src/engine/ring.h"
#include "src/result/result.h"
#include "src/seal/key.h"
#include "src/trace/temporary_folder.h"

namespace heddle {

struct WorkerOptions {
  Launch launch;
  OutputMode output = OutputMode::kCapture;
  StandardStreams inherited;  // for kInherit and kTee
  int standard_input = -1;    // a seekable descriptor that is rewound before each run, or -1: /dev/null
  bool inherit_input = false; // the program reads heddle's own standard input
  std::filesystem::path region_file;  // a recording: the region lies in this file
  bool fork_server = true;    // false: a new program per run
  std::string with;           // a command beside each run whose inputs are not fed; its end ends the run. Empty: none
  bool cwd_copy = false;      // each run in a fresh copy of launch.cwd (implies a new program per run)
  std::chrono::milliseconds ready_timeout{10'000};
  const std::atomic<bool>* stop = nullptr;  // set from anywhere: runs end as kInterrupted
  std::atomic<std::uint64_t>* signals = nullptr;  // set from anywhere: bit N-1 sends signal N to the program
  std::optional<SealKey> seal;  // traces of this worker's runs are sealed with it
  bool script_goes_on = false;  // what a script above the program does beside and behind a run is the user's
};

enum class RunEnd {
  kFinished,     // the child was reaped: wait_status says how it ended
  kHang,         // no progress and no output for the hang timeout: killed
  kTimeout,      // over the time limit of a run: killed
  kServerDied,   // the program killed its own fork server, e.g. kill(0, ...): wait_status is the server's
  kInterrupted,  // `stop` was set: killed
  kClientEnded,  // the command beside it had ended, and asked to stop it did not: killed
};

struct RunLimits {
  std::chrono::milliseconds hang{10'000};
  std::chrono::milliseconds total{0};  // 0: none
};

struct RunHooks {
  /// Consecutive events in schedule order, copied out of the ring. Null: events are dropped.
  std::function<void(std::span<const HeddleEvent>)> on_events;
  /// The same for the first HeddleRun::observe decisions.
  std::function<void(std::span<const HeddleDecision>)> on_decisions;
  /// The child has stopped itself with a complete failure record; it goes on (and dies) when this returns.
  std::function<void(pid_t child)> on_stopped;
  /// The child makes no progress (kHang) or is over its time (kTimeout) and is about to be killed; it is still running.
  std::function<void(pid_t child, RunEnd why)> on_stuck;
};

struct RunStatus {
  RunEnd end = RunEnd::kFinished;
  int wait_status = 0;
  std::uint64_t passed_on = 0;  // bits of options().signals that the program was sent
  bool asked_to_stop = false;  // by SIGTERM, when the command beside it had ended
  int client_status = 0;       // of that command, as waitpid gives it; 0 too when there is none
  bool ring_broken = false;    // the child's counters made no sense: events are missing
  std::size_t leftovers = 0;   // processes that the run left behind (killed)
  CapturedOutput output;
};

class Worker {
 public:
  static Result<std::unique_ptr<Worker>> create(WorkerOptions options);
  ~Worker();
  Worker(const Worker&) = delete;

  Region& region() { return region_; }
  const WorkerOptions& options() const { return options_; }
  /// Instead of options().stop, from the next run on.
  void watch(const std::atomic<bool>* stop) { options_.stop = stop; }

  /// Makes sure a server is ready: before each run, and before its parameters are written (a new server means a new
  /// header). Errors say why this program cannot be controlled.
  Status prepare();
  /// Before run(): the command of options().with, unless the inputs of the run are fed.
  Status start_client();
  /// Executes one run with what lies in region().header().run and the input areas. prepare() must have succeeded.
  RunStatus run(const RunHooks& hooks, const RunLimits& limits);
  /// The server of the last prepare(); its memory map is that of every run at its start.
  pid_t server_pid() const { return server_pid_; }
  /// What the program has asked for so far, in all its runs, and which modules it has now.
  EnvironmentReads environment_reads() const;
  /// From the next run on: WorkerOptions::cwd_copy.
  void use_cwd_copies(bool copies);
  /// The ELF file that it executes: behind a wrapper script another one than was started. Empty without a server.
  std::filesystem::path server_executable() const;
  /// What the kernel did not allow, in words for the user; empty when every run starts equal.
  const std::vector<std::string>& shortcomings() const { return shortcomings_; }
  /// After the last run: the program ends as that run did, and the script above it goes on to its own end, whose wait
  /// status this is. Nothing where there is no script.
  std::optional<int> end_behind_script();
  /// Ends the server and everything below it.
  void end();

 private:
  explicit Worker(WorkerOptions options, Region region) : options_(std::move(options)), region_(std::move(region)) {}
  Status start_server();
  Status await_ready();
  std::optional<Error> started_with_other_rights();
  Error not_ready_error(bool timed_out);
  bool interrupted() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }
  void begin_run();
  /// The command beside the run has ended: asks the program to stop, then waits a little. False: it was not enough.
  bool stop_for_client(RunStatus& status);
  bool drain_rings(const RunHooks& hooks);
  RunEnd await_run(const RunHooks& hooks, const RunLimits& limits, RunStatus& status);
  bool signal_child(int signal);
  void pass_signals_on(RunStatus& status);
  void await_reaped(const RunHooks& hooks, RunStatus& status);
  void ring_own_bell();
  std::size_t end_leftovers();
  void forget_server();

  WorkerOptions options_;
  Region region_;
  std::unique_ptr<OutputDrain> drain_;
  pid_t root_ = 0;  // what we started; the server itself, or a script above it
  pid_t server_pid_ = 0;
  std::unique_ptr<Client> client_;  // of the current run
  std::chrono::steady_clock::time_point asked_;
  std::vector<pid_t> keep_;    // root, server, and what a script had started before the server was ready
  Descriptor standard_input_;  // shares its offset with the program's
  std::uint32_t generation_ = 0;
  RingReader<HeddleEvent> events_;
  RingReader<HeddleDecision> decisions_;
  std::vector<std::string> shortcomings_;
  TemporaryFolder copied_cwd_;
  EnvironmentReads earlier_reads_;  // of servers that have ended
};

}  // namespace heddle
