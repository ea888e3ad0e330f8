#include "pass/ordinals.h"

#include <limits>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle {
namespace {

bool is_counted(const llvm::Instruction& instruction) { return !llvm::isa<llvm::DbgInfoIntrinsic>(instruction); }

}  // namespace

Ordinals::Ordinals(const llvm::Module& module) {
  for (const auto& f : module) {
    if (f.isDeclaration()) continue;
    const auto first = count_ + 1;
    for (const auto& instruction : llvm::instructions(f)) count_ += is_counted(instruction);
    if (count_ <= std::numeric_limits<uint32_t>::max()) first_[&f.getEntryBlock()] = static_cast<uint32_t>(first);
  }
}

CloneOrdinals::CloneOrdinals(const llvm::Function& clone, uint32_t first) {
  if (first == 0) return;
  for (const auto& instruction : llvm::instructions(clone))
    if (is_counted(instruction)) numbers_[&instruction] = first++;
}

uint32_t CloneOrdinals::of(const llvm::Instruction& instruction) const {
  if (auto found = numbers_.find(&instruction); found != numbers_.end()) return found->second;
  // The branch that behind() put on the edge of an invoke: what closes the loop in the original is the invoke.
  const auto* before = instruction.isTerminator() ? instruction.getParent()->getSinglePredecessor() : nullptr;
  return before ? numbers_.lookup(before->getTerminator()) : 0;
}

}  // namespace heddle
