// Loops that cannot end by themselves: what the runtime needs to tell an endless loop from a long computation.
#pragma once
#include <cstdint>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "pass/privacy.h"

namespace heddle {

/// Looks at a clone before it gets its hooks. A loop is *idle* if one round of it does nothing but read: no state of
/// its own, no write but to variables that die with a call, no atomics, no calls of unknown code. Whether it goes round
/// again depends on memory alone. A loop is *endless* if it has no exit and calls no unknown code.
///
/// A loop *waits* if none of its exit conditions depends on anything that the loop itself changes; it may count or
/// write statistics meanwhile. It *advances* if one of them does: an index, a cursor, a result. Neither is claimed
/// where unknown code or writes through unknown pointers could change a condition.
class Spins {
 public:
  Spins(llvm::Function& f, const Privacy& own);
  /// HEDDLE_SITE_IDLE_*, _ENDLESS, _WAITS_*, _ADVANCES for the branch at the end of `block`.
  uint32_t flags(const llvm::BasicBlock* block) const { return flags_.lookup(block); }

 private:
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> flags_;
};

}  // namespace heddle
