// The few events and data flows that a reader needs to see why one execution fails and the other one does not: the
// differential schedule projection of the thesis (section 4.5).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/explain/verdict.h"

namespace heddle {

struct ShownEvent {
  std::string thread, label;  // "0.2", and what it is called or the function it started in
  std::uint32_t event_kind = HEDDLE_EV_NONE;  // of an event that happened
  std::string kind, object, function, file;   // `kind` in words
  std::uint32_t line = 0;
  std::string code;                    // the statement, where its source is to be had
  At failing = kNowhere, alternate = kNowhere;  // where it stands in each execution; kNowhere: not in that one
  bool pending = false;                // its thread waits for it when the failing execution ends
  bool is_failure = false;
};

/// A read and the write that it saw, as indices of Projection::events; no write: the value from before.
struct ShownFlow {
  bool failing = false;  // of the failing execution; else of the alternate one
  std::optional<std::size_t> from;
  std::size_t to = 0;
};

struct Projection {
  static constexpr std::size_t kMostEvents = 12, kMostFlows = 8;
  std::vector<ShownEvent> events;  // in the order of the failing execution, then those that only the alternate one has
  std::vector<ShownFlow> flows;
  std::vector<std::size_t> cause;  // of `events`: those of the verdict
  std::vector<std::string> objects;
  std::string text;  // the verdict in words
};

/// `alternate` and `comparison` may be null: there is none. Sources that are newer than `built` are not quoted.
Projection project(const Observed& failing, const Observed* alternate, const Comparison* comparison,
                   const Verdict& verdict, std::optional<std::filesystem::file_time_type> built);

}  // namespace heddle
