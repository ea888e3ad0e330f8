// Source expressions for the memory an instruction accesses: "counter", "q->head", "this->size_", "buf[]", "*p".
#pragma once
#include <cstdint>
#include <string>

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Value.h"

namespace heddle {

/// Best effort, from debug info and the shape of the address computation; falls back to IR names; empty if unknown.
/// `size` is that of the access in bytes, 0 for ranges: an access smaller than the object it starts is one of a member.
std::string describe(const llvm::Value* pointer, uint64_t size, const llvm::DataLayout& layout);

}  // namespace heddle
