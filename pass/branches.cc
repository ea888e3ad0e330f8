// Branch hooks. `outcome` is the number of the successor in LLVM's order: for `br i1` 0 is the true side, 1 the false side;
// for `switch` 0 is the default, i the i-th case, and cases with the same destination share the lowest of their numbers.
//
//   br i1 %c, T, F        ->  __heddle_branch(zext(!%c), @site); br i1 %c, T, F
//   switch %v, ...        ->  each destination is reached through a block that calls __heddle_branch(number, @site)
//   br header (back-edge) ->  __heddle_branch(0, @site); br header        also indirectbr, where it can close a loop
#include "abi/events.h"
#include "abi/site.h"
#include "pass/instrument.h"
#include "llvm/Analysis/CFG.h"

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

void hook_jump(Work& work, llvm::Instruction& jump, llvm::Constant* site) {
  BuilderBefore builder(jump);
  llvm::Value* outcome = builder.getInt32(0);
  if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&jump); branch && branch->isConditional())
    outcome = builder.CreateZExt(builder.CreateNot(branch->getCondition()), builder.getInt32Ty());
  work.hooks.call(builder, "__heddle_branch", {outcome, site});
}

// All edges from `branch` to `destination` go through one new block, which reports `number`.
void hook_switch_edge(Work& work, llvm::SwitchInst& branch, llvm::BasicBlock* destination, unsigned number,
                      llvm::Constant* site) {
  auto* block = branch.getParent();
  auto* edge = llvm::BasicBlock::Create(branch.getContext(), "", block->getParent(), destination);
  unsigned redirected = 0;
  for (unsigned i = 0; i < branch.getNumSuccessors(); ++i) {
    if (branch.getSuccessor(i) != destination) continue;
    branch.setSuccessor(i, edge);
    ++redirected;
  }
  for (auto& phi : destination->phis()) {
    for (unsigned i = 1; i < redirected; ++i) phi.removeIncomingValue(block, /*DeletePHIIfEmpty=*/false);
    phi.replaceIncomingBlockWith(block, edge);
  }
  llvm::IRBuilder<> builder(edge);
  builder.SetCurrentDebugLocation(BuilderBefore(branch).getCurrentDebugLocation());
  work.hooks.call(builder, "__heddle_branch", {builder.getInt32(number), site});
  builder.CreateBr(destination);
}

void hook_switch(Work& work, llvm::SwitchInst& branch, llvm::Constant* site) {
  llvm::SmallVector<llvm::BasicBlock*> destinations;
  for (unsigned i = 0; i < branch.getNumSuccessors(); ++i) destinations.push_back(branch.getSuccessor(i));
  llvm::DenseSet<llvm::BasicBlock*> done;
  for (unsigned i = 0; i < destinations.size(); ++i)
    if (done.insert(destinations[i]).second) hook_switch_edge(work, branch, destinations[i], i, site);
}

}  // namespace

void hook_branches(Work& work, llvm::Function& f) {
  auto edges = back_edges(f);
  std::vector<llvm::Instruction*> terminators;
  for (auto& block : f) terminators.push_back(block.getTerminator());
  for (auto* terminator : terminators) {
    bool loop = closes_loop(*terminator, edges);
    bool jump = llvm::isa<llvm::BranchInst, llvm::IndirectBrInst>(terminator);
    if (!is_conditional(*terminator) && !(jump && loop)) continue;
    ++work.stats.branches;
    uint32_t flags = flag_if(loop, HEDDLE_SITE_BACKEDGE) | work.spins.flags(terminator->getParent());
    auto* site = work.site(*terminator, {HEDDLE_EV_BRANCH, 0, flags, {}}, nullptr);
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(terminator))
      hook_switch(work, *choice, site);
    else
      hook_jump(work, *terminator, site);
  }
}

}  // namespace heddle
