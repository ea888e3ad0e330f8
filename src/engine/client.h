// A command that runs beside one run of the program, such as the client of a server (`--with CMD`). Its end ends the
// run.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <sys/types.h>

#include "src/engine/launch.h"
#include "src/result/result.h"

namespace heddle {

class Client {
 public:
  /// Starts `/bin/sh -c command` in the folder and environment of `launch` and in the network that `program` has. Its
  /// output goes to standard error. `on_end` is called on another thread when it has ended. Errors: no process could be
  /// made.
  static Result<std::unique_ptr<Client>> start(const std::string& command, const Launch& launch, pid_t program,
                                               std::function<void()> on_end);
  /// Ends it, with everything below it.
  ~Client();
  Client(const Client&) = delete;

  bool ended() const { return ended_.load(); }
  /// As waitpid gives it; only once it has ended.
  int wait_status() const { return wait_status_; }

 private:
  Client() = default;
  pid_t pid_ = 0;
  int wait_status_ = 0;
  std::atomic<bool> ended_{false};
  std::thread watcher_;
};

}  // namespace heddle
