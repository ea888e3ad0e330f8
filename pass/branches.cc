// Branch hooks. `outcome` is the number of the successor in LLVM's order: for `br i1` 0 is the true side, 1 the false
// side; for `switch` 0 is the default, i the i-th case, and cases with the same destination share the lowest of their
// numbers.
//
//   br i1 %c, T, F        ->  if (__heddle_active & HEDDLE_ACTIVE_BRANCHES) __heddle_branch(zext(!%c), @site); br i1
//   %c, T, F switch %v, ...        ->  each destination is reached through a block that calls __heddle_branch(number,
//   @site), under the same condition br header (back-edge) ->  __heddle_branch(0, @site); br header        also
//   indirectbr, where it can close a loop
//
// Without the condition: where a loop is closed, in loops that spin, in functions that recurse. A thread has to come
// past hooks while it runs.
#include "abi/events.h"
#include "abi/hooks.h"
#include "abi/site.h"
#include "pass/instrument.h"
#include "pass/light.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle {
namespace {

using Edges = llvm::DenseSet<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>>;

Edges back_edges(const llvm::Function& f) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> edges;
  llvm::FindFunctionBackedges(f, edges);
  return {edges.begin(), edges.end()};
}

bool closes_loop(const llvm::Instruction& terminator, const Edges& edges) {
  for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i)
    if (edges.contains({terminator.getParent(), terminator.getSuccessor(i)})) return true;
  return false;
}

// The switch behind a coroutine's suspend point must stay next to it, or CoroSplit gives up symmetric transfer.
bool follows_suspend(const llvm::SwitchInst& branch) {
  const auto* condition = llvm::dyn_cast<llvm::IntrinsicInst>(branch.getCondition());
  return condition && condition->getIntrinsicID() == llvm::Intrinsic::coro_suspend;
}

bool is_conditional(const llvm::Instruction& terminator) {
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator)) return branch->isConditional();
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&terminator);
  return choice && !follows_suspend(*choice);
}

struct Branch {
  llvm::Instruction* terminator;
  uint32_t flags;  // of its site; 0: nothing that lasts depends on its hook
};

// Where the hook goes. One without need is called only if somebody wants to know of all branches: a recording does not.
llvm::Instruction& place_of_hook(Work& work, const Branch& branch, llvm::Instruction& before) {
  if (branch.flags) return before;
  auto& context = before.getContext();
  BuilderBefore builder(before);
  auto* active = builder.CreateLoad(builder.getInt32Ty(), work.active,
                                    /*isVolatile=*/true);  // volatile: no loop is split for its sake
  active->setMetadata(kOnRequest, llvm::MDNode::get(context, {}));
  auto* wanted = builder.CreateIsNotNull(builder.CreateAnd(active, HEDDLE_ACTIVE_BRANCHES));
  return *llvm::SplitBlockAndInsertIfThen(wanted, before.getIterator(), /*Unreachable=*/false,
                                          llvm::MDBuilder(context).createBranchWeights(1, 1000));
}

void mark(const Branch& branch, llvm::CallInst* hook) {
  if (!branch.flags) return hook->setMetadata(kOnRequest, llvm::MDNode::get(hook->getContext(), {}));
  if (!(branch.flags & HEDDLE_SITE_COMPUTES)) keep(hook);
}

void hook_jump(Work& work, const Branch& branch, llvm::Constant* site) {
  auto& jump = *branch.terminator;
  BuilderBefore builder(place_of_hook(work, branch, jump));
  llvm::Value* outcome = builder.getInt32(0);
  if (auto* conditional = llvm::dyn_cast<llvm::BranchInst>(&jump); conditional && conditional->isConditional())
    outcome = builder.CreateZExt(builder.CreateNot(conditional->getCondition()), builder.getInt32Ty());
  mark(branch, work.hooks.call(builder, "__heddle_branch", {outcome, site}));
}

// All edges from the switch to `destination` go through one new block, which reports `number`.
void hook_switch_edge(Work& work, const Branch& branch, llvm::BasicBlock* destination, unsigned number,
                      llvm::Constant* site) {
  auto& choice = llvm::cast<llvm::SwitchInst>(*branch.terminator);
  auto* block = choice.getParent();
  auto* edge = llvm::BasicBlock::Create(choice.getContext(), "", block->getParent(), destination);
  unsigned redirected = 0;
  for (unsigned i = 0; i < choice.getNumSuccessors(); ++i) {
    if (choice.getSuccessor(i) != destination) continue;
    choice.setSuccessor(i, edge);
    ++redirected;
  }
  for (auto& phi : destination->phis()) {
    for (unsigned i = 1; i < redirected; ++i) phi.removeIncomingValue(block, /*DeletePHIIfEmpty=*/false);
    phi.replaceIncomingBlockWith(block, edge);
  }
  llvm::IRBuilder<> builder(edge);
  auto* jump = builder.CreateBr(destination);
  jump->setDebugLoc(BuilderBefore(choice).getCurrentDebugLocation());
  BuilderBefore in_front(place_of_hook(work, branch, *jump));
  mark(branch, work.hooks.call(in_front, "__heddle_branch", {in_front.getInt32(number), site}));
}

void hook_switch(Work& work, const Branch& branch, llvm::Constant* site) {
  llvm::SmallVector<llvm::BasicBlock*> destinations;
  for (auto* destination : llvm::successors(branch.terminator)) destinations.push_back(destination);
  llvm::DenseSet<llvm::BasicBlock*> done;
  for (unsigned i = 0; i < destinations.size(); ++i)
    if (done.insert(destinations[i]).second) hook_switch_edge(work, branch, destinations[i], i, site);
}

}  // namespace

void hook_branches(Work& work, llvm::Function& f) {
  auto edges = back_edges(f);
  bool lasts = work.recursive;
  std::vector<Branch> branches;  // all of them, before the first block is split
  for (auto& block : f) {
    auto* terminator = block.getTerminator();
    bool loop = closes_loop(*terminator, edges);
    bool jump = llvm::isa<llvm::BranchInst, llvm::IndirectBrInst>(terminator);
    if (is_conditional(*terminator) || (jump && loop))
      branches.push_back({terminator, flag_if(loop, HEDDLE_SITE_BACKEDGE) | work.spins.flags(&block)});
    else
      lasts |= loop;  // an invoke, asm goto: no hook closes it
  }
  for (auto& branch : branches) {
    ++work.stats.branches;
    if (lasts) branch.flags = (branch.flags | HEDDLE_SITE_LASTS) & ~HEDDLE_SITE_COMPUTES;
    auto* site = work.site(*branch.terminator, {HEDDLE_EV_BRANCH, 0, branch.flags, {}}, nullptr);
    if (llvm::isa<llvm::SwitchInst>(branch.terminator))
      hook_switch(work, branch, site);
    else
      hook_jump(work, branch, site);
  }
}

}  // namespace heddle
