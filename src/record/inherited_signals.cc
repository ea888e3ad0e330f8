#include "src/record/inherited_signals.h"

#include <charconv>
#include <chrono>
#include <fstream>
#include <string>

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kLook{20};

/// Bits of the signals that the process handles; none when it is not there (yet, or any more).
std::uint64_t handled_by(pid_t pid) {
  constexpr std::string_view kLine = "SigCgt:\t";
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kLine)) continue;
    std::uint64_t bits = 0;
    std::from_chars(line.data() + kLine.size(), line.data() + line.size(), bits, 16);
    return bits;
  }
  return 0;
}

}  // namespace

InheritedSignals::InheritedSignals(Worker& worker, std::atomic<std::uint64_t>* came) {
  if (came == nullptr) return;
  watcher_ = std::jthread([&worker, came](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(kLook)) {
      const std::uint64_t due = came->exchange(0);
      if (due == 0) continue;
      // The number is the program's own word; the worker sends to nobody but what descends from what it started.
      const std::int32_t child = std::atomic_ref(worker.region().header().result.child_pid).load();
      if (child > 0) worker.options().signals->fetch_or(due & handled_by(child));
    }
  });
}

}  // namespace heddle
