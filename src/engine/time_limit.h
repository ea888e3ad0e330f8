// Ends what is going on at a given time, or when somebody else asks for it: a `stop` flag for workers and whoever looks
// at one.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace heddle {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  /// stop() is set at `end` (none: never) and soon after `source` is. `source` must outlive this.
  TimeLimit(const std::atomic<bool>& source, std::optional<Clock::time_point> end);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;

  const std::atomic<bool>& stop() const { return stop_; }
  /// stop() is set, and it was the time that did it.
  bool time_is_up() const { return time_is_up_; }

 private:
  void watch();

  const std::atomic<bool>& source_;
  const std::optional<Clock::time_point> end_;
  std::atomic<bool> stop_{false}, time_is_up_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace heddle
