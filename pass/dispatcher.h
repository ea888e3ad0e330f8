// The body of a dispatcher; drawn in clone.h.
#pragma once
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace heddle {

/// `f` has no body yet and the signature of both clones.
void write_dispatcher(llvm::Function& f, llvm::Function& plain, llvm::Function& hooked, llvm::GlobalVariable* active);

}  // namespace heddle
