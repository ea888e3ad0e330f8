// The order in which threads won their scheduling points in one execution: all that replay needs. A plain value.
//
// As text, for a person to read and edit: a thread and how many steps it takes, one segment per line; "#" starts a
// comment.
//
//   # heddle schedule 1
//   0    12
//   0.1  3
//   0    1
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

enum class ThreadId : std::uint32_t {};  // index in the thread table of a run

/// Segments are maximal: neighbours belong to different threads, and none is empty. Threads are known by name ("0.1"),
/// since the index of a thread depends on who created first.
class Schedule {
 public:
  struct Segment {
    ThreadId thread;  // index in names()
    std::uint64_t steps;
    bool operator==(const Segment&) const = default;
  };

  Schedule() = default;
  /// Thread indices outside of `threads` (a damaged trace) get the name "?<index>".
  Schedule(std::span<const HeddleSegment> segments, std::span<const ThreadRecord> threads);

  /// `text` is untrusted: a bad line yields an Error naming that line, never a failed CHECK.
  static Result<Schedule> parse(std::string_view text);
  /// The text form: parse(print()) equals this schedule.
  std::string print() const;
  /// For an execution with this thread table. Error: a thread that is not in it.
  Result<std::vector<HeddleSegment>> bind(std::span<const ThreadRecord> threads) const;

  void append(std::string_view thread, std::uint64_t steps);
  std::span<const Segment> segments() const { return segments_; }
  const std::string& name(ThreadId thread) const { return names_[static_cast<std::uint32_t>(thread)]; }
  std::uint64_t steps() const;
  /// Boundaries between segments.
  std::size_t switches() const { return segments_.empty() ? 0 : segments_.size() - 1; }

  /// First step at which `run` left this schedule; nullopt if it followed to the end (it may go on after that).
  std::optional<std::uint64_t> divergence(const Schedule& run) const;
  /// The same threads, by name, in the same order.
  bool operator==(const Schedule& other) const;

 private:
  ThreadId intern(std::string_view name);
  std::vector<std::string> names_;
  std::vector<Segment> segments_;
};

/// Counts switches and preemptions of a stream of events, in schedule order.
///
/// A switch is where the thread changes. It is a preemption when the left thread could have gone on, which shows at the
/// event with which that thread comes back: the runtime sets HEDDLE_EF_PREEMPTED on it when its operation could have
/// been executed at the moment of the switch and the thread had not yielded, slept, blocked or exited. Of a thread that
/// never comes back the events do not tell.
class SwitchCounter {
 public:
  void add(const HeddleEvent& event);
  std::uint64_t switches() const { return switches_; }
  std::uint64_t preemptions() const { return preemptions_; }

 private:
  std::optional<std::uint16_t> current_;
  std::uint64_t switches_ = 0, preemptions_ = 0;
};

}  // namespace heddle
