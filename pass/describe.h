// Source expressions for the memory an instruction accesses: "counter", "q->head", "this->size_", "buf[]", "*p".
#pragma once
#include <string>

#include "llvm/IR/Value.h"

namespace heddle {

/// Best effort from debug info and the shape of the address computation; falls back to IR names; empty if unknown.
std::string describe(const llvm::Value* pointer);

}  // namespace heddle
