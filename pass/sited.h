// Calls whose place in the code is a part of the schedule.
#pragma once
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle {

/// The runtime takes the return address of an interposed call for its site: in two clones of a function that is not the
/// same. `call` is such a call, or may be one.
bool is_sited_call(const llvm::CallBase& call);

/// Which of the plain clones make sited calls in their own code, or in code that may be inlined into it.
class SitedFunctions {
 public:
  bool contains(const llvm::Function& plain);
  /// Too large to be worth inlining, so that `noinline` costs nothing.
  static bool is_large(const llvm::Function& plain);

 private:
  llvm::DenseMap<const llvm::Function*, bool> known_;
};

}  // namespace heddle
