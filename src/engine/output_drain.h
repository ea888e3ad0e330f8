// What the program writes, taken from its pipe while it runs (or it would block), and the moment it ends.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <sys/types.h>

#include "src/engine/launch.h"
#include "src/result/result.h"

namespace heddle {

enum class OutputMode {
  kCapture,  // stdout and stderr to one pipe, kept (capped)
  kInherit,  // heddle's own
  kTee,      // kept and passed on to heddle's own, binary data not to a terminal
};

struct CapturedOutput {
  std::string text;           // the first kOutputLimit bytes
  std::uint64_t dropped = 0;  // bytes beyond
  std::uint64_t hidden = 0;   // bytes of binary data that were kept from a terminal
};
inline constexpr std::size_t kOutputLimit = 1u << 20;

/// One per started program. A thread of its own empties the pipes; everything else is called by the worker's thread.
class OutputDrain {
 public:
  /// `inherited`: where kInherit and kTee go (not owned).
  static Result<std::unique_ptr<OutputDrain>> create(OutputMode mode, StandardStreams inherited);
  ~OutputDrain();
  OutputDrain(const OutputDrain&) = delete;

  /// What the program gets as 1 and 2. After spawning call started().
  StandardStreams streams() const;
  /// Closes the program's ends and begins to drain; `on_exit` is called once, on the drain's thread, when `pid` has
  /// ended.
  void started(pid_t pid, std::function<void()> on_exit);
  bool exited() const { return exited_.load(std::memory_order_acquire); }
  /// Bytes that came through the pipes so far: a sign of life.
  std::uint64_t received() const { return received_.load(std::memory_order_relaxed); }
  /// Everything written since the last call. Call when the writers have ended: nothing is waited for.
  CapturedOutput take();

 private:
  OutputDrain() = default;
  struct Pipe {
    int reader = -1, writer = -1, forward = -1;
    bool terminal = false;  // it is what `forward` is
  };
  void drain_loop();
  void empty(const Pipe& pipe);

  Pipe pipes_[2];
  StandardStreams inherited_;
  OutputMode mode_ = OutputMode::kCapture;
  int pid_fd_ = -1, quit_fd_ = -1;
  std::function<void()> on_exit_;
  std::atomic<bool> exited_{false};
  std::atomic<std::uint64_t> received_{0};
  std::mutex mutex_;  // guards captured_ and reading from the pipes
  CapturedOutput captured_;
  std::thread thread_;
};

}  // namespace heddle
