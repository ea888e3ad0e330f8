// std::atomic<std::shared_ptr>: libstdc++ guards the pointer by a bit of its count, and unlocks in load() and wait()
// with relaxed order. As written, the next store() races with their read of the pointer; nobody but libstdc++ can mend
// it, so hooked clones unlock with release.
//
//   before:  fetch_sub(ptr %val, i64 1, i32 %o)      after:  fetch_sub(ptr %val, i64 1, i32 %o == relaxed ? release :
//   %o)
#include "pass/instrument.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/AtomicOrdering.h"

namespace heddle {

void order_pointer_unlock(llvm::Function& clone, llvm::StringRef name) {
  if (!name.contains("St10_Sp_atomicI") || !name.contains("13_Atomic_count") || !name.contains("unlockE")) return;
  for (auto& instruction : llvm::instructions(clone)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || !call->getCalledFunction() || !call->getCalledFunction()->getName().contains("fetch_sub")) continue;
    if (call->arg_size() != 3 || !call->getArgOperand(2)->getType()->isIntegerTy()) continue;
    auto* order = call->getArgOperand(2);
    auto constant = [&](llvm::AtomicOrderingCABI value) {
      return llvm::ConstantInt::get(order->getType(), static_cast<uint64_t>(value));
    };
    llvm::IRBuilder<> builder(call);
    auto* relaxed = builder.CreateICmpEQ(order, constant(llvm::AtomicOrderingCABI::relaxed));
    call->setArgOperand(2, builder.CreateSelect(relaxed, constant(llvm::AtomicOrderingCABI::release), order));
  }
}

}  // namespace heddle
