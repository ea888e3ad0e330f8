// Functions that may call themselves: like loops, they can run long.
#pragma once
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// By direct calls inside `module`, over any number of functions.
llvm::DenseSet<const llvm::Function*> recursive_functions(llvm::Module& module);

}  // namespace heddle
