// Atomic instructions.
//
//   before:  %o = atomicrmw add ptr %p, i32 1 seq_cst
//   after:   call void @__heddle_atomic(ptr %p, i32 4, i32 ATOMIC_RMW, i32 5, i32 5, ptr @site)
//            %o = atomicrmw add ptr %p, i32 1 seq_cst
//            call void @__heddle_atomic_done(ptr %p, i64 zext(%o), i32 1, ptr @site)
#include "abi/events.h"
#include "abi/site.h"
#include "pass/instrument.h"
#include "llvm/Support/AtomicOrdering.h"

namespace heddle {
namespace {

using llvm::AtomicOrdering;

uint32_t c_order(AtomicOrdering order) {
  if (order == AtomicOrdering::NotAtomic || order == AtomicOrdering::Unordered) return 0;
  return static_cast<uint32_t>(llvm::toCABI(order));
}

struct Operation {
  llvm::Value* pointer;
  llvm::Type* type;  // of the value in memory
  uint8_t kind;
  AtomicOrdering order;
  AtomicOrdering failure_order;
};

bool classify(llvm::Instruction& instruction, Operation& out) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic()) {
    out = {load->getPointerOperand(), load->getType(), HEDDLE_EV_ATOMIC_LOAD, load->getOrdering(), load->getOrdering()};
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && store->isAtomic()) {
    out = {store->getPointerOperand(), store->getValueOperand()->getType(), HEDDLE_EV_ATOMIC_STORE,
           store->getOrdering(), store->getOrdering()};
  } else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    out = {rmw->getPointerOperand(), rmw->getType(), HEDDLE_EV_ATOMIC_RMW, rmw->getOrdering(), rmw->getOrdering()};
  } else if (auto* cas = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    out = {cas->getPointerOperand(), cas->getCompareOperand()->getType(), HEDDLE_EV_ATOMIC_CAS,
           cas->getSuccessOrdering(), cas->getFailureOrdering()};
  } else {
    return false;
  }
  return true;
}

// The low 64 bits of any first-class scalar.
llvm::Value* as_i64(llvm::IRBuilder<>& builder, llvm::Value* value, const llvm::DataLayout& layout) {
  auto* i64 = builder.getInt64Ty();
  if (value->getType()->isPointerTy()) return builder.CreatePtrToInt(value, i64);
  if (!value->getType()->isIntegerTy()) {
    auto bits = layout.getTypeSizeInBits(value->getType()).getFixedValue();
    value = builder.CreateBitCast(value, builder.getIntNTy(static_cast<unsigned>(bits)));
  }
  return builder.CreateZExtOrTrunc(value, i64);
}

bool hook_fence(Work& work, llvm::Instruction& instruction) {
  auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
  if (!fence) return false;
  if (fence->getSyncScopeID() == llvm::SyncScope::SingleThread) return true;  // a compiler barrier only
  ++work.stats.fences;
  BuilderBefore builder(instruction);
  auto* site = work.site(instruction, {HEDDLE_EV_FENCE, 0, 0, {}}, nullptr);
  work.hooks.call(builder, "__heddle_fence", {builder.getInt32(c_order(fence->getOrdering())), site});
  return true;
}

void hook_done(Work& work, llvm::Instruction& instruction, const Operation& operation, llvm::Constant* site) {
  BuilderAfter builder(instruction);
  llvm::Value* value = &instruction;
  llvm::Value* success = builder.getInt32(1);
  if (operation.kind == HEDDLE_EV_ATOMIC_CAS) {
    value = builder.CreateExtractValue(&instruction, 0);
    success = builder.CreateZExt(builder.CreateExtractValue(&instruction, 1), builder.getInt32Ty());
  } else if (operation.kind == HEDDLE_EV_ATOMIC_STORE) {
    value = llvm::cast<llvm::StoreInst>(instruction).getValueOperand();
  }
  work.hooks.call(builder, "__heddle_atomic_done",
                  {operation.pointer, as_i64(builder, value, work.layout()), success, site});
}

}  // namespace

bool hook_atomic(Work& work, llvm::Instruction& instruction) {
  if (hook_fence(work, instruction)) return true;
  Operation operation;
  if (!classify(instruction, operation)) return false;
  if (operation.pointer->getType()->getPointerAddressSpace() != 0) return true;
  if (work.privacy.covers(operation.pointer)) {
    ++work.stats.atomics_skipped;
    return true;
  }
  ++work.stats.atomics;
  auto size = static_cast<uint32_t>(work.layout().getTypeStoreSize(operation.type).getFixedValue());
  uint32_t flags = flag_if(instruction.isVolatile(), HEDDLE_SITE_VOLATILE);
  auto* site = work.site(instruction, {operation.kind, static_cast<uint8_t>(size), flags, {}}, operation.pointer);
  BuilderBefore builder(instruction);
  work.hooks.call(
      builder, "__heddle_atomic",
      {operation.pointer, builder.getInt32(size), builder.getInt32(operation.kind),
       builder.getInt32(c_order(operation.order)), builder.getInt32(c_order(operation.failure_order)), site});
  hook_done(work, instruction, operation, site);
  return true;
}

}  // namespace heddle
