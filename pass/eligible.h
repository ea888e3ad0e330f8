// Which functions get clones.
#pragma once
#include "llvm/IR/Function.h"

namespace heddle {

/// nullptr if `f` can be cloned; otherwise the reason why it stays as it is (a literal, shown by -heddle-stats).
const char* why_not_cloned(const llvm::Function& f);

}  // namespace heddle
