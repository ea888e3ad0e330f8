// Memory that provably no other thread can touch, or that nobody can change: its accesses get no hooks.
#pragma once
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"

namespace heddle {

class Privacy {
 public:
  /// Analyses `f` as it is now: construct before the first hook goes in, since hooks capture addresses.
  explicit Privacy(llvm::Function& f);

  /// True if all objects that `pointer` may point into are private to this activation, constant, or ours.
  bool covers(const llvm::Value* pointer) const;

 private:
  bool is_private(const llvm::Value* object) const;

  llvm::DenseSet<const llvm::Value*> objects_;  // locals whose address never leaves the function
};

}  // namespace heddle
