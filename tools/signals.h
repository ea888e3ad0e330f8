// Signals that are meant for the program beside which heddle runs.
#pragma once
#include <atomic>
#include <cstdint>

namespace heddle {

/// From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT do nothing but set their bit (N-1 for signal N), each time they
/// come. What was ignored stays ignored (nohup).
std::atomic<std::uint64_t>& collect_signals();

}  // namespace heddle
