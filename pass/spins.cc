#include "pass/spins.h"

#include "abi/site.h"
#include "pass/privacy.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace heddle {
namespace {

constexpr unsigned kMaxDepth = 8;  // of calls looked into

bool is_pause(const llvm::CallBase& call) {
  if (const auto* code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    auto text = llvm::StringRef(code->getAsmString()).trim();
    return text.empty() || text == "pause" || text == "rep; nop" || text == "rep;nop" || text == "nop";
  }
  return call.getIntrinsicID() == llvm::Intrinsic::x86_sse2_pause;
}

// Hooks of accesses and branches, in clones that have theirs already.
bool is_quiet_hook(llvm::StringRef name) {
  return name.consume_front("__heddle_") && (name.starts_with("read") || name.starts_with("write") || name.starts_with("branch"));
}

bool is_harmless_intrinsic(const llvm::CallBase& call) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  return intrinsic && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->doesNotAccessMemory()) && !intrinsic->isTerminator();
}

bool only_reads(const llvm::Function& f, unsigned depth);

bool call_only_reads(const llvm::CallBase& call, unsigned depth) {
  if (is_pause(call) || is_harmless_intrinsic(call)) return true;
  const auto* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic()) return false;
  return is_quiet_hook(callee->getName()) || (!callee->isDeclaration() && !callee->isInterposable() && only_reads(*callee, depth));
}

// `own`: a write to what it covers is nobody else's business and is forgotten.
bool only_reads(const llvm::Instruction& i, const Privacy* own, unsigned depth) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return call_only_reads(*call, depth);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return !load->isAtomic();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return own && !store->isAtomic() && own->covers(store->getPointerOperand());
  return !i.mayWriteToMemory();
}

bool only_reads(const llvm::Function& f, unsigned depth) {
  if (depth == 0) return false;
  Privacy own(const_cast<llvm::Function&>(f));
  for (const auto& i : llvm::instructions(f))
    if (!only_reads(i, &own, depth - 1)) return false;
  return true;
}

bool is_idle(const llvm::Loop& loop) {
  if (!loop.getHeader()->phis().empty()) return false;
  for (const auto* block : loop.blocks())
    for (const auto& i : *block)
      if (!only_reads(i, nullptr, kMaxDepth)) return false;
  return true;
}

bool is_endless(const llvm::Loop& loop) {
  if (!loop.hasNoExitBlocks()) return false;
  for (const auto* block : loop.blocks())
    for (const auto& i : *block)
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call && !call_only_reads(*call, kMaxDepth)) return false;
  return true;
}

}  // namespace

Spins::Spins(llvm::Function& f) {
  llvm::DominatorTree dominators(f);
  llvm::LoopInfo loops(dominators);
  for (const auto* loop : loops.getLoopsInPreorder()) {
    bool idle = is_idle(*loop), endless = is_endless(*loop);
    if (!idle && !endless) continue;
    llvm::SmallVector<llvm::BasicBlock*> latches;
    loop->getLoopLatches(latches);
    for (const auto* latch : latches) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
      if (!branch) continue;
      auto& flags = flags_[latch];
      if (endless) flags |= HEDDLE_SITE_ENDLESS;
      for (unsigned i = 0; idle && i < branch->getNumSuccessors(); ++i)
        if (branch->getSuccessor(i) == loop->getHeader()) flags |= i ? HEDDLE_SITE_IDLE_SECOND : HEDDLE_SITE_IDLE_FIRST;
    }
  }
}

}  // namespace heddle
