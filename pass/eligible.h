// Which functions get clones.
#pragma once
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace heddle {

class Eligibility {
 public:
  explicit Eligibility(const llvm::Module& module);

  /// nullptr if `f` can be cloned; otherwise the reason why it stays as it is (a literal, shown by -heddle-stats).
  const char* why_not(const llvm::Function& f) const;

 private:
  llvm::DenseSet<const llvm::Value*> ignored_;  // __attribute__((annotate("heddle-ignore")))
};

}  // namespace heddle
