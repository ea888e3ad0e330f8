#include "pass/spins.h"

#include "abi/site.h"
#include "pass/privacy.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

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
  return name.consume_front("__heddle_") &&
         (name.starts_with("read") || name.starts_with("write") || name.starts_with("branch"));
}

bool is_harmless_intrinsic(const llvm::CallBase& call) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  return intrinsic && (intrinsic->isAssumeLikeIntrinsic() || intrinsic->doesNotAccessMemory()) &&
         !intrinsic->isTerminator();
}

bool only_reads(const llvm::Function& f, unsigned depth);

bool call_only_reads(const llvm::CallBase& call, unsigned depth) {
  if (is_pause(call) || is_harmless_intrinsic(call)) return true;
  const auto* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic()) return false;
  return is_quiet_hook(callee->getName()) ||
         (!callee->isDeclaration() && !callee->isInterposable() && only_reads(*callee, depth));
}

// `own`: a write to what it covers is nobody else's business and is forgotten.
bool only_reads(const llvm::Instruction& i, const Privacy* own, unsigned depth) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return call_only_reads(*call, depth);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return !load->isAtomic();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
    return own && !store->isAtomic() && own->covers(store->getPointerOperand());
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
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call && !call_only_reads(*call, kMaxDepth))
        return false;
  return true;
}

// What one round of a loop can change.
struct Changes {
  llvm::SmallPtrSet<const llvm::Value*, 8>
      objects;  // locals of its function (also those that calls are given), and globals
  bool unknown = false;                              // ... or anything that escaped
};

bool is_identified(const llvm::Value* object) {
  return llvm::isa<llvm::AllocaInst>(object) || llvm::isa<llvm::GlobalVariable>(object);
}

// An iterator or a stream that a method is called on: no other thread has it, so it is the call that moves it.
void add_arguments(const llvm::Instruction& i, Changes& changes) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  if (!call) return;
  for (const auto& argument : call->args())
    if (argument->getType()->isPointerTy())
      if (const auto* object = llvm::getUnderlyingObject(argument); llvm::isa<llvm::AllocaInst>(object))
        changes.objects.insert(object);
}

Changes changes_of(const llvm::Loop& loop) {
  Changes changes;
  for (const auto* block : loop.blocks())
    for (const auto& i : *block) {
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
        const auto* object = llvm::getUnderlyingObject(store->getPointerOperand());
        is_identified(object) ? (void)changes.objects.insert(object) : (void)(changes.unknown = true);
      } else if (!only_reads(i, nullptr, kMaxDepth)) {
        changes.unknown = true;
        add_arguments(i, changes);
      }
    }
  return changes;
}

enum class Ending { kWaits, kAdvances, kUnknown };

// Follows what one exit condition is computed from, backwards through one round of the loop.
class ExitCondition {
 public:
  ExitCondition(const llvm::Loop& loop, const Changes& changes, const Privacy& own)
      : loop_(loop), changes_(changes), own_(own) {}

  Ending ending(const llvm::Value* condition) {
    if (const auto* first = llvm::dyn_cast<llvm::Instruction>(condition)) visit(first);
    while (!open_.empty() && ending_ != Ending::kAdvances) look_at(*open_.pop_back_val());
    return ending_;
  }

 private:
  void visit(const llvm::Value* value) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (i && loop_.contains(i) && seen_.insert(i).second) open_.push_back(i);
  }

  void look_at(const llvm::Instruction& i) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&i); phi && phi->getParent() == loop_.getHeader()) {
      ending_ = Ending::kAdvances;
      return;
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      reads(*load);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i); call && i.mayReadFromMemory()) {
      calls(*call);
    } else if (i.mayWriteToMemory()) {
      ending_ = Ending::kUnknown;  // an atomic, or code that is not known
    }
    for (const auto& operand : i.operands()) visit(operand.get());
  }

  void reads(const llvm::LoadInst& load) {
    const auto* object = llvm::getUnderlyingObject(load.getPointerOperand());
    if (changes_.objects.contains(object))
      ending_ = Ending::kAdvances;
    else if (own_.covers(load.getPointerOperand()))
      return;
    else if (changes_.unknown || (!is_identified(object) && changes_something_lasting()))
      ending_ = Ending::kUnknown;
  }

  void calls(const llvm::CallBase& call) {
    for (const auto& argument : call.args())
      if (argument->getType()->isPointerTy() && changes_.objects.contains(llvm::getUnderlyingObject(argument))) {
        ending_ = Ending::kAdvances;
        return;
      }
    if (changes_.unknown || changes_something_lasting()) ending_ = Ending::kUnknown;
  }

  bool changes_something_lasting() const {
    for (const auto* object : changes_.objects)
      if (!own_.covers(object)) return true;
    return false;
  }

  const llvm::Loop& loop_;
  const Changes& changes_;
  const Privacy& own_;
  Ending ending_ = Ending::kWaits;
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen_;
  llvm::SmallVector<const llvm::Instruction*, 16> open_;
};

const llvm::Value* condition_of(const llvm::Instruction& terminator) {
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&terminator);
  return choice ? choice->getCondition() : nullptr;
}

// Unknown code may end a loop too: by an exception, or the process. So such a loop does not wait for sure.
Ending ending_of(const llvm::Loop& loop, const Privacy& own) {
  const Changes changes = changes_of(loop);
  Ending all = changes.unknown ? Ending::kUnknown : Ending::kWaits;
  llvm::SmallVector<llvm::BasicBlock*> exiting;
  loop.getExitingBlocks(exiting);
  for (const auto* block : exiting) {
    const auto* condition = condition_of(*block->getTerminator());
    if (!condition) {
      all = Ending::kUnknown;
      continue;
    }
    const Ending one = ExitCondition(loop, changes, own).ending(condition);
    if (one == Ending::kAdvances) return one;
    if (one == Ending::kUnknown) all = one;
  }
  return all;
}

// Functions of libc that read and write memory, and nothing else.
bool is_memory_function(llvm::StringRef name) {
  static constexpr llvm::StringRef kNames[] = {"memcpy", "memmove", "memset", "memcmp", "bcmp",
                                               "memchr", "strlen",  "strcmp", "strncmp"};
  return llvm::is_contained(kNames, name);
}

bool call_computes(const llvm::CallBase& call, unsigned depth);

// Has hooks that are counted nowhere.
bool computes(const llvm::Instruction& i, unsigned depth) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return call_computes(*call, depth);
  return !i.isAtomic() && !i.isVolatile();
}

// Without loops: those of a callee would have to be judged here too.
bool computes(const llvm::Function& plain, unsigned depth) {
  if (depth == 0) return false;
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> edges;
  llvm::FindFunctionBackedges(plain, edges);
  return edges.empty() &&
         llvm::all_of(llvm::instructions(plain), [&](const llvm::Instruction& i) { return computes(i, depth - 1); });
}

bool call_computes(const llvm::CallBase& call, unsigned depth) {
  if (llvm::isa<llvm::AnyMemIntrinsic>(call)) return !call.isVolatile();
  if (is_harmless_intrinsic(call) && !is_pause(call)) return true;
  const auto* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic()) return false;
  if (callee->isDeclaration()) return is_memory_function(callee->getName());
  // The plain clone looks the same whether or not the hooked one has its hooks already.
  llvm::StringRef name = callee->getName();
  if (name.consume_back(".heddle")) callee = callee->getParent()->getFunction((name + ".plain").str());
  return callee && !callee->isDeclaration() && !callee->isInterposable() && computes(*callee, depth);
}

bool only_computes(const llvm::Loop& loop, const llvm::DenseMap<const llvm::Loop*, bool>& inner) {
  for (const auto* sub : loop.getSubLoops())
    if (!inner.lookup(sub)) return false;
  for (const auto* block : loop.blocks())
    for (const auto& i : *block)
      if (!computes(i, kMaxDepth)) return false;
  return true;
}

}  // namespace

Spins::Spins(llvm::Function& f, const Privacy& own) {
  llvm::DominatorTree dominators(f);
  llvm::LoopInfo loops(dominators);
  llvm::DenseMap<const llvm::Loop*, bool> computing;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> closes_others;  // latches of loops that do not only compute
  const auto outer_first = loops.getLoopsInPreorder();
  for (const auto* loop : llvm::reverse(outer_first)) {
    bool idle = is_idle(*loop), endless = is_endless(*loop);
    const Ending ending = ending_of(*loop, own);
    computing[loop] = ending == Ending::kAdvances && only_computes(*loop, computing);
    llvm::SmallVector<llvm::BasicBlock*> latches;
    loop->getLoopLatches(latches);
    for (const auto* latch : latches) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
      if (!branch) continue;
      auto& flags = flags_[latch];
      if (endless) flags |= HEDDLE_SITE_ENDLESS;
      if (ending == Ending::kAdvances) flags |= HEDDLE_SITE_ADVANCES;
      if (!computing[loop]) closes_others.insert(latch);
      if (!closes_others.contains(latch)) flags |= HEDDLE_SITE_COMPUTES;
      else flags &= ~HEDDLE_SITE_COMPUTES;
      for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
        if (branch->getSuccessor(i) != loop->getHeader()) continue;
        if (idle) flags |= HEDDLE_SITE_IDLE_FIRST << i;
        if (ending == Ending::kWaits) flags |= HEDDLE_SITE_WAITS_FIRST << i;
      }
    }
  }
}

}  // namespace heddle
