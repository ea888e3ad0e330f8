#include "pass/instrument.h"

#include "abi/site.h"
#include "pass/describe.h"
#include "pass/light.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle {

llvm::Constant* Work::site(const llvm::Instruction& at, SiteKey key, const llvm::Value* pointer) const {
  if (pointer) key.variable = describe(pointer, key.size, layout());
  key.ordinal = ordinals.of(at);
  return sites.make(at, function, key);
}

void keep(llvm::CallInst* hook) { hook->setMetadata(kKeptHook, llvm::MDNode::get(hook->getContext(), {})); }

llvm::Instruction* behind(llvm::CallBase& call) {
  auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  if (!invoke) return call.isTerminator() ? nullptr : call.getNextNode();
  auto* next = invoke->getNormalDest();
  if (!next->getSinglePredecessor()) next = llvm::SplitEdge(invoke->getParent(), next);
  return &*next->getFirstInsertionPt();
}

namespace {

// What the host wants to know and no hook tells: which objects its calls of primitives refer to.
void describe_calls(const llvm::Function& f, const Work& work, const Wrappers& wrappers) {
  for (const auto& instruction : llvm::instructions(f)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (const auto* object = call ? wrappers.object_of(*call) : nullptr)
      work.site(instruction, {0, 0, HEDDLE_SITE_CALL, {}}, object);
  }
}

}  // namespace

SiteArray instrument(llvm::Module& module, llvm::GlobalVariable* active, const Clones& clones, uint32_t first_ordinal,
                     bool recursive, const Wrappers& wrappers, Hooks& hooks, Sites& sites, Stats& stats) {
  auto& f = *clones.hooked;
  CloneOrdinals ordinals(f, first_ordinal);
  order_pointer_unlock(f, clones.name);
  Privacy privacy(f);
  Spins spins(f, privacy);
  Work work{module, hooks, sites, ordinals, stats, privacy, spins, active, recursive, clones.name};
  describe_calls(f, work, wrappers);
  const auto calls = calls_with_unknown_results(f);
  std::vector<llvm::Instruction*> instructions;
  for (auto& instruction : llvm::instructions(f))
    if (instruction.mayReadOrWriteMemory() || llvm::isa<llvm::CallBase>(instruction))
      instructions.push_back(&instruction);
  for (auto* instruction : instructions) {
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(instruction)) hook_byval(work, *call);
    hook_atomic(work, *instruction) || hook_access(work, *instruction) || hook_range(work, *instruction) ||
        hook_library(work, *instruction) || hook_vector(work, *instruction) ||
        hook_library_atomic(work, *instruction) || hook_outside(work, *instruction) ||
        hook_assembly(work, *instruction) || hook_call(work, *instruction);
  }
  hook_branches(work, f);
  hook_call_results(work, calls);
  return sites.finish(f, clones.name, flag_if(wrappers.contains(clones.name), HEDDLE_SITE_WRAPPER));
}

}  // namespace heddle
