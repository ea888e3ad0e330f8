#include "src/engine/time_limit.h"

#include <csignal>

namespace heddle {
namespace {
constexpr std::chrono::milliseconds kTick{10};  // a flag rings no bell
}

TimeLimit::TimeLimit(const std::atomic<bool>& source, std::optional<Clock::time_point> end)
    : source_(source), end_(end) {
  // At once where there is nothing to wait for: nobody shall start what is over.
  time_is_up_ = end_ && Clock::now() >= *end_ && !source_;
  stop_ = time_is_up_ || source_;
  if (stop_) return;
  sigset_t all, before;  // signals are for the thread that made this
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TimeLimit::~TimeLimit() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void TimeLimit::watch() {
  std::unique_lock lock(mutex_);
  while (!over_ && !stop_) {
    const Clock::time_point now = Clock::now();
    if (source_) {
      stop_ = true;
    } else if (end_ && now >= *end_) {
      time_is_up_ = true;
      stop_ = true;
    } else {
      changed_.wait_until(lock, end_ ? std::min(*end_, now + kTick) : now + kTick);
    }
  }
}

}  // namespace heddle
