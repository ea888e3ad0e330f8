// The pairs of events whose order a failing execution fixes and another one could have the other way round: conflicting
// accesses, signals and waits, acquisitions that close a deadlock. Each with what a schedule has to do to reverse it.
#pragma once
#include <vector>

#include "src/explain/observed.h"
#include "src/explain/reversal.h"

namespace heddle {

enum class PairKind : std::uint8_t {
  kAccess,       // of memory
  kSignal,       // a signal, and the beginning of a wait for one
  kAcquisition,  // a lock that was taken, and a thread that waits for it when the run ends
  kDelay,        // a thread is held until the others cannot go on: what it came before is not known yet
};

struct Pair {
  PairKind kind = PairKind::kAccess;
  At first = kNowhere, second = kNowhere;  // of different threads, in the order of the execution; kNowhere: it did not
                                           // happen in it
  Hold hold;      // of the first one's thread
  Target target;  // of the second one's
};

/// Nearest to the failure first. Without pairs that creating and joining threads order in every schedule.
std::vector<Pair> pairs_of(const Observed& failing);

/// For a failure that is not fixed by two events that happened: each thread of the failure held before each of its last
/// `most` actions, the last one first.
std::vector<Pair> delays_of(const Observed& failing, std::size_t most);

}  // namespace heddle
