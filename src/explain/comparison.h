// What differs between the failing execution and an alternate one that does not fail: pairs of events in another order,
// and reads that got their value from another write.
#pragma once
#include <optional>
#include <vector>

#include "src/explain/observed.h"

namespace heddle {

/// In the failing execution `first` comes before `second`; in the alternate one it is the other way round.
struct Reordered {
  At first = kNowhere, second = kNowhere;    // in the failing execution; `second` kNowhere: it did not come to that
  At first_there = kNowhere, second_there = kNowhere;  // in the alternate one; `first_there` kNowhere: likewise
};

/// A read that both executions have, and the writes that it saw; kNowhere: none, the value from before.
struct FlowChange {
  At read = kNowhere, write = kNowhere;              // in the failing execution
  At read_there = kNowhere, write_there = kNowhere;  // in the alternate one
};

struct Comparison {
  std::vector<Reordered> reordered;  // nearest to the failure first
  std::vector<FlowChange> flows;     // likewise
};

Comparison compare(const Observed& failing, const Observed& alternate);

/// Reads that saw a write of another thread.
std::size_t flows_between_threads(const Observed& run);

/// The write that a read saw, by its first part; kNowhere: none.
At source_of(const Observed& run, At read);

}  // namespace heddle
