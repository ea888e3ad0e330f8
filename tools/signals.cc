#include "tools/signals.h"

#include <csignal>

namespace heddle {
namespace {

std::atomic<std::uint64_t> collected{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
void on_signal(int number) { collected.fetch_or(std::uint64_t{1} << (number - 1)); }

}  // namespace

std::atomic<std::uint64_t>& collect_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a trace that is being written is not disturbed
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before;
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a limit of the file size (ulimit -f) is an error of write(), as a full disk is
  return collected;
}

}  // namespace heddle
