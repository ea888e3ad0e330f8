// From a trace to executions of its program: the only way. In order: may this trace be executed, is its program the one
// that it was made with, how is it started, and (start()) are its libraries the same builds.
//
//   auto session = Session::open(task);                      // nothing runs yet
//   if (Status ready = session->start(); !ready) ...         // the program does, up to its fork point
//   session->replayer().replay(session->executor());
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/execute.h"
#include "src/engine/options.h"
#include "src/engine/replay.h"
#include "src/engine/standard_input.h"
#include "src/engine/user.h"
#include "src/trace/container.h"

namespace heddle {

struct SessionTask {
  std::string verb;                         // for messages that say what to type
  std::string trace;                        // file
  std::vector<std::string> program;         // behind --, instead of the recorded path; arguments are those of the trace
  bool trust = false;                       // whoever made the trace
  Options engine;
  User user;
  bool writes_traces = false;               // of what it executes: they are sealed
  const std::atomic<bool>* stop = nullptr;  // set: executions end as interrupted
};

/// On one thread, as its executor is.
class Session {
 public:
  /// Errors, all of them about the trace or the program: it cannot be read, it must not be executed
  /// (docs/security.md), its program is gone or another build, nothing of its schedule is left.
  static Result<Session> open(const SessionTask& task);
  /// Of a trace that was read already, by open_trace(): for who looks at it before anything is asked of its program.
  static Result<Session> open(TraceReader trace, const SessionTask& task);

  const TraceReader& trace() const { return parts_->trace; }
  const Replayer& replayer() const { return *parts_->replayer; }
  /// How the program is started; its output is captured, unless it is changed here before start(). Others may make
  /// executors of their own with it, while this lives.
  WorkerOptions& worker() { return parts_->worker; }
  /// Makes the executor, and checks that the program and its libraries are those of the trace. Once. Errors: they are
  /// not, or the program cannot be controlled.
  Status start();
  /// After start().
  Executor& executor() { return *parts_->executor; }
  /// What executors of this program share.
  const std::shared_ptr<SiteCache>& sites() const { return parts_->sites; }
  /// The end of its program; start() begins it anew.
  void end() { parts_->executor.reset(); }

 private:
  struct Parts {  // at a fixed address: they refer to each other
    explicit Parts(TraceReader opened) : trace(std::move(opened)) {}
    TraceReader trace;
    std::optional<Replayer> replayer;
    WorkerOptions worker;
    std::optional<StandardInput> input;
    std::shared_ptr<SiteCache> sites = std::make_shared<SiteCache>();
    std::unique_ptr<Executor> executor;
  };
  explicit Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle
