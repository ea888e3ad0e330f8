// The log of steps that a recording left in its region (abi/step_log.h), read in the order of all steps.
//
// Nothing that lies there is believed: the program may have written to it, and goes on to do so.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/region.h"
#include "abi/step_log.h"

namespace heddle {

/// A place in the order of all steps.
struct StepOrder {
  std::uint64_t number;
  std::uint32_t thread;
  auto operator<=>(const StepOrder&) const = default;
};

/// The steps of one thread, in order.
class ThreadLog {
 public:
  explicit ThreadLog(std::uint32_t thread) : thread_(thread) {}
  void add_chunk(std::span<const std::uint64_t> words) { chunks_.push_back(words); }
  /// To the next step; before the first call there is none. False: it has no more.
  bool advance();
  /// What stands there cannot be a step: there is none behind it either.
  bool damaged() const { return damaged_; }
  const HeddleStep& step() const { return step_; }
  StepOrder order() const { return {number_, thread_}; }

 private:
  std::uint32_t thread_;
  std::uint64_t number_ = 0;
  std::vector<std::span<const std::uint64_t>> chunks_;
  std::size_t chunk_ = 0, word_ = 0;
  bool damaged_ = false;
  HeddleStep step_{};
};

/// All threads' logs, merged.
class StepMerge {
 public:
  /// `area`: from its first byte on. Ends behind the step at `last`, if there is one.
  StepMerge(std::span<const std::uint64_t> area, std::optional<StepOrder> last);
  /// Null: there is no more, or what comes next is damaged.
  const HeddleStep* next();
  /// Behind the last one: of each thread that has more, its next step.
  std::vector<HeddleStep> beyond() const;

 private:
  bool comes_first(std::size_t a, std::size_t b) const { return logs_[a].order() < logs_[b].order(); }
  void sift_down();
  std::vector<ThreadLog> logs_;
  std::vector<std::size_t> heap_;  // of logs_ that are at a step; the first is at the one that comes next
  std::optional<StepOrder> last_;
  bool taken_ = false;  // the step of the first was given out
  bool damaged_ = false;
};

/// The last step of `thread`; nothing: it has none.
std::optional<StepOrder> last_step_of(std::span<const std::uint64_t> area, std::uint32_t thread);

}  // namespace heddle
