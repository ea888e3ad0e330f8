// Puts hooks into hooked clones. Each transformation has a file of its own and handles one class of instructions.
#pragma once
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "pass/clone.h"
#include "pass/hooks.h"
#include "pass/ordinals.h"
#include "pass/privacy.h"
#include "pass/sites.h"
#include "pass/spins.h"
#include "pass/stats.h"
#include "pass/wrappers.h"

namespace heddle {

/// What the transformations share while one clone is at work.
struct Work {
  llvm::Module& module;
  Hooks& hooks;
  Sites& sites;
  CloneOrdinals& ordinals;
  Stats& stats;
  const Privacy& privacy;
  const Spins& spins;
  llvm::GlobalVariable* active;
  bool recursive;
  llvm::StringRef function;  // linkage name of the original

  const llvm::DataLayout& layout() const { return module.getDataLayout(); }
  /// A site at `at`, described by the memory behind `pointer` (may be null).
  llvm::Constant* site(const llvm::Instruction& at, SiteKey key, const llvm::Value* pointer) const;
};

/// All hooks for one clone. `first_ordinal`: of the first instruction of its original.
SiteArray instrument(llvm::Module& module, llvm::GlobalVariable* active, const Clones& clones, uint32_t first_ordinal,
                     bool recursive, const Wrappers& wrappers, Hooks& hooks, Sites& sites, Stats& stats);

// Each returns false if the instruction is none of its business.
bool hook_access(Work& work, llvm::Instruction& instruction);   // accesses.cc: load, store, va_arg
bool hook_atomic(Work& work, llvm::Instruction& instruction);   // atomics.cc: atomic load/store/rmw/cmpxchg, fence
bool hook_library_atomic(Work& work, llvm::Instruction& instruction);  // library_atomics.cc: calls of libatomic
bool hook_range(Work& work, llvm::Instruction& instruction);    // ranges.cc: mem* intrinsics
bool hook_library(Work& work,
                  llvm::Instruction& instruction);  // library.cc: calls of libc with known effects on memory
bool hook_call(Work& work, llvm::Instruction& instruction);     // calls.cc: calls of functions that may have no hooks
bool hook_assembly(Work& work, llvm::Instruction& instruction);  // assembly.cc: operands of inline assembly
bool hook_vector(Work& work, llvm::Instruction& instruction);   // vectors.cc: masked load/store/gather/scatter
bool hook_outside(Work& work, llvm::Instruction& instruction);  // outside.cc: rdtsc, rdrand; replaces `instruction`
void hook_byval(Work& work, llvm::CallBase& call);              // ranges.cc: arguments copied by the call
void hook_branches(Work& work, llvm::Function& f);              // branches.cc: changes the CFG, so it comes last

void order_pointer_unlock(llvm::Function& clone, llvm::StringRef name);  // pointer_locks.cc: comes first

/// call_results.cc: calls whose result no event tells; before the first hook goes in. Their hooks come last of all, so
/// that the sites of the others are numbered as without them.
std::vector<llvm::WeakTrackingVH> calls_with_unknown_results(llvm::Function& f);
void hook_call_results(Work& work, const std::vector<llvm::WeakTrackingVH>& calls);

/// Light clones have this hook too (light.h).
void keep(llvm::CallInst* hook);

/// A range hook for `length` bytes at `pointer`, unless that memory is private.
void emit_range(Work& work, llvm::Instruction& at, bool write, llvm::Value* pointer, llvm::Value* length,
                uint32_t flags);

/// Where code behind the call goes: behind an invoke that is its normal successor, made its own if others come there
/// too. Null: nowhere.
llvm::Instruction* behind(llvm::CallBase& call);

}  // namespace heddle
