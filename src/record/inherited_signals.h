// Signals that heddle itself was told to ignore by whoever started it (a background job of a script, nohup).
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>

#include "src/engine/worker.h"

namespace heddle {

/// While it lives, signals whose bits (N-1 for signal N) appear in `came` go on to the program if it has a handler for
/// them, and to nobody otherwise: the program natively inherits that they are ignored, and only a handler of its own
/// changes that. `worker` must outlive it and have options().signals.
class InheritedSignals {
 public:
  /// `came` null: there are none, and nothing is done.
  InheritedSignals(Worker& worker, std::atomic<std::uint64_t>* came);

 private:
  std::jthread watcher_;
};

}  // namespace heddle
