// Numbers of instructions in the module's bitcode (abi/bitcode_frame.h): what joins sites with it.
//
// The number of an instruction is its position in the clean module, so the bitcode needs no marks. A hooked clone is a
// copy of its function until the first hook goes in: its instructions have the numbers of their originals.
#pragma once
#include <cstdint>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// Of a whole module: the number of the first instruction of each function.
class Ordinals {
 public:
  /// Construct with the module as it is serialised.
  explicit Ordinals(const llvm::Module& module);
  /// `body`: the function, or the plain clone that took its blocks over. 0: its numbers do not fit into 32 bits.
  uint32_t first_of(const llvm::Function& body) const { return first_.lookup(&body.getEntryBlock()); }
  uint64_t count() const { return count_; }

 private:
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> first_;  // by entry block
  uint64_t count_ = 0;
};

/// Of one hooked clone.
class CloneOrdinals {
 public:
  /// A clone without numbers.
  CloneOrdinals() = default;
  /// Construct before the first change to `clone`. `first`: of its original's first instruction.
  CloneOrdinals(const llvm::Function& clone, uint32_t first);
  /// 0: it is no copy of an instruction of the original.
  uint32_t of(const llvm::Instruction& instruction) const;
  /// Call before a copy is erased: its address may be used again.
  void forget(const llvm::Instruction& instruction) { numbers_.erase(&instruction); }

 private:
  llvm::DenseMap<const llvm::Instruction*, uint32_t> numbers_;
};

}  // namespace heddle
