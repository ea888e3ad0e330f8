// What simplification knows of an execution: who did what (kind and place, never an address), in turns. A plain value.
#pragma once
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/guide.h"
#include "abi/region.h"
#include "src/result/result.h"
#include "src/trace/container.h"

namespace heddle {

/// What simplification makes smaller, in this order (Tinertia's cost is the first).
struct Cost {
  std::uint64_t switches = 0, preemptions = 0;
  auto operator<=>(const Cost&) const = default;
};

/// A thread execution interval (TEI) of the paper, by how far its thread is on its own path when it ends. So a turn
/// that is taken out is made up for by the next turn of its thread.
struct Turn {
  std::uint32_t thread = 0;  // index in Execution::threads
  std::uint32_t end = 0;     // actions of the thread
  bool preempted = false;    // at its end the thread could have gone on
  bool joined = false;       // in a guide: with the turn before, in any order that needs no preemption
  bool operator==(const Turn&) const = default;
};
using Turns = std::vector<Turn>;
/// As a turn's end: until its thread cannot go on.
inline constexpr std::uint32_t kAsLongAsItCan = ~0u;

struct Path {
  std::string name;  // "0.1": stable over executions, unlike the index
  std::uint32_t parent = 0, ordinal = 0;
  std::vector<std::uint32_t> actions;   // hashes of kind and site
  std::vector<std::uint64_t> prefixes;  // of each prefix of `actions`, the empty one first
};

struct Execution {
  std::vector<Path> threads;
  Turns turns;
  Cost cost;
  std::uint64_t steps = 0;
  bool ambiguous = false;  // of a guided run: Rejoining made a difference
};

/// From the log of a guided run.
Execution execution_of(std::span<const HeddleGuidedStep> steps, std::span<const HeddleThreadInfo> threads,
                       const HeddleResult& result);
/// From the events of a trace. Error: it does not have an event for each step.
Result<Execution> execution_of(const TraceReader& trace);

/// Are these actions, in another order, some of `original`'s: is it a variant trace in the strict sense (section 3.1)?
bool is_variant(const Execution& execution, const Execution& original);

}  // namespace heddle
