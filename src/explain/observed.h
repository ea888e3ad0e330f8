// An execution with all its events in memory, as explaining reads them: by position, and by what names an event in
// another execution of the same program.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/result/result.h"
#include "src/trace/container.h"

namespace heddle {

/// Position of an event in an execution.
using At = std::uint32_t;
inline constexpr At kNowhere = ~0u;

class Observed {
 public:
  /// Errors: the trace cannot be read, or has more than kMostEvents events.
  static Result<Observed> read(const TraceReader& trace);
  static constexpr std::uint64_t kMostEvents = 4'000'000;

  const TraceHead& head() const { return head_; }
  std::span<const HeddleEvent> events() const { return events_; }
  const HeddleEvent& operator[](At at) const { return events_[at]; }
  /// Actions (steps) of its thread that were executed when this event had happened, its own among them.
  std::uint32_t actions(At at) const { return actions_[at]; }
  /// Of a thread: all it executed.
  std::uint32_t actions_of(std::uint32_t thread) const { return thread < totals_.size() ? totals_[thread] : 0; }

  /// The same event in another execution: the k-th of its thread (by name) at its site, of its kind. kNowhere: it did
  /// not happen there.
  At same(const Observed& other, At theirs) const;

 private:
  struct Key {
    std::uint32_t thread, site, kind, nth;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::uint32_t thread_named(const std::string& name) const;

  TraceHead head_;
  std::vector<HeddleEvent> events_;
  std::vector<std::uint32_t> actions_, nth_, totals_;
  std::unordered_map<Key, At, Hash> by_key_;
  std::unordered_map<std::string, std::uint32_t> threads_;
};

}  // namespace heddle
