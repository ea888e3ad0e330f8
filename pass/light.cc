#include "pass/light.h"

#include "abi/light.h"
#include "pass/clone_body.h"
#include "pass/dispatcher.h"
#include "pass/instrument.h"
#include "pass/sited.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle {
namespace {

using llvm::Function;

constexpr unsigned kSmall = 200;      // instructions before optimisation: may be inlined
constexpr unsigned kMostRanges = 48;  // of sites that one light clone depends on

llvm::StringRef hook_name(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const auto* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || call->getMetadata(kKeptHook)) return {};
  llvm::StringRef name = callee->getName();
  return name.consume_front("__heddle_") ? name : llvm::StringRef();
}

// Hooks that a light clone lacks.
bool is_dropped(const llvm::Instruction& instruction) {
  auto name = hook_name(instruction);
  return name.starts_with("read") || name.starts_with("write") || name.starts_with("vector") ||
         name.starts_with("will_write") || name.starts_with("call_") || name.starts_with("branch");
}

bool is_active_test(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::LoadInst>(instruction) && instruction.getMetadata(kOnRequest);
}

// Is a light clone worth its code? Hooks that are called on request only, and marks around calls, cost next to nothing.
bool has_costly_hooks(const Function& hooked) {
  return llvm::any_of(llvm::instructions(hooked), [](const llvm::Instruction& instruction) {
    return is_dropped(instruction) && !instruction.getMetadata(kOnRequest) &&
           !hook_name(instruction).starts_with("call_");
  });
}

// `if (__heddle_active & HEDDLE_ACTIVE_BRANCHES) hook`: never.
void fold_active_test(llvm::Instruction& load) {
  llvm::SmallVector<llvm::BasicBlock*> blocks;
  for (auto* masked : load.users())
    for (auto* asked : masked->users())
      for (auto* user : asked->users())
        if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(user)) blocks.push_back(branch->getParent());
  load.replaceAllUsesWith(llvm::ConstantInt::get(load.getType(), 0));
  load.eraseFromParent();
  for (auto* block : blocks) {
    auto* branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
    branch->setCondition(llvm::ConstantInt::getFalse(block->getContext()));
    llvm::ConstantFoldTerminator(block, /*DeleteDeadConditions=*/true);
  }
}

// An allocation whose result nobody uses is removed by the optimiser; in the hooked clone a hook uses it. Both must
// allocate: how much memory there is, is seen by the program.
void keep_allocations(Function& light) {
  llvm::SmallVector<llvm::CallBase*> allocations;
  for (auto& instruction : llvm::instructions(light)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const auto* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->isDeclaration() && call->returnDoesNotAlias() && !call->isMustTailCall())
      allocations.push_back(call);
  }
  for (auto* call : allocations) {
    auto* next = behind(*call);
    if (!next) continue;
    llvm::IRBuilder<> after(next);
    auto* type = llvm::FunctionType::get(after.getVoidTy(), {call->getType()}, false);
    after.CreateCall(type, llvm::InlineAsm::get(type, "", "r", /*hasSideEffects=*/true), {call});
  }
}

void strip(Function& light) {
  llvm::SmallVector<llvm::Instruction*> tests, hooks;
  for (auto& instruction : llvm::instructions(light)) {
    if (is_active_test(instruction)) tests.push_back(&instruction);
    if (is_dropped(instruction)) hooks.push_back(&instruction);
  }
  llvm::SmallVector<llvm::WeakTrackingVH> arguments;
  for (auto* hook : hooks) {
    for (auto& argument : llvm::cast<llvm::CallInst>(hook)->args()) arguments.emplace_back(argument.get());
    hook->eraseFromParent();
  }
  for (auto* test : tests) fold_active_test(*test);
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(arguments);
  llvm::removeUnreachableBlocks(light);
  keep_allocations(light);
}

class Maker {
 public:
  Maker(llvm::Module& module, std::vector<Clones>& all, const std::vector<SiteArray>& sites)
      : module_(module), all_(all), sites_(sites) {}

  unsigned make() {
    for (unsigned i = 0; i < all_.size(); ++i) by_hooked_[all_[i].hooked] = i;
    for (auto& clones : all_)
      if (can_be_light(clones)) clone(clones);
    for (unsigned i = 0; i < all_.size(); ++i)
      if (all_[i].light && !all_[i].plain->hasFnAttribute(llvm::Attribute::AlwaysInline)) make_entry(all_[i]);
    unsigned count = 0;
    for (unsigned i = 0; i < all_.size(); ++i) {
      if (!all_[i].light) continue;
      ++count;
      const auto& ranges = depend(i);
      if (all_[i].enter) write_record(all_[i], ranges);
    }
    for (auto& clones : all_)
      if (clones.enter) redirect(clones);
    return count;
  }

 private:
  bool can_be_light(const Clones& clones) {
    const auto& f = *clones.plain;
    return !f.isPresplitCoroutine() && !f.callsFunctionThatReturnsTwice() && !sited_.contains(f) &&
           has_costly_hooks(*clones.hooked);
  }

  // As the hooked clone, in its group: of each group one object file's is linked.
  void place(Function& f, const Clones& clones) {
    f.setDSOLocal(true);
    f.setLinkage(clones.hooked->getLinkage());
    f.setVisibility(clones.hooked->getVisibility());
    f.setComdat(clones.hooked->getComdat());
  }

  void clone(Clones& clones) {
    clones.light = clone_body(*clones.hooked, clones.name + ".light");
    place(*clones.light, clones);
    clones.light->setPrefixData(
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(module_.getContext()), HEDDLE_LIGHT_MARK));
    strip(*clones.light);
  }

  llvm::GlobalVariable* data(const Clones& clones, llvm::Type* type, llvm::StringRef name, bool named) {
    const bool merged = clones.hooked->hasLinkOnceODRLinkage();
    auto* variable = new llvm::GlobalVariable(
        module_, type, false,
        merged && named ? llvm::GlobalValue::LinkOnceODRLinkage : llvm::GlobalValue::InternalLinkage, nullptr,
        merged && named ? name + "." + clones.name : name);
    if (merged && named) variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
    variable->setDSOLocal(true);
    variable->setComdat(clones.hooked->getComdat());
    return variable;
  }

  void make_entry(Clones& clones) {
    auto* number = llvm::Type::getInt32Ty(module_.getContext());
    clones.record = data(clones, llvm::StructType::get(module_.getContext(), {number, number, number, number}),
                         "__heddle_light", true);
    clones.record->setExternallyInitialized(true);  // else it is 0 for the optimiser
    clones.record->setSection(HEDDLE_LIGHT_SECTION);
    clones.record->setAlignment(llvm::Align(sizeof(HeddleLight)));
    clones.enter = Function::Create(clones.hooked->getFunctionType(), clones.hooked->getLinkage(),
                                    clones.hooked->getAddressSpace(), clones.name + ".enter", &module_);
    clones.enter->copyAttributesFrom(clones.plain);
    clones.enter->setPersonalityFn(nullptr);
    clones.enter->setPrefixData(nullptr);
    clones.enter->setPrologueData(nullptr);
    place(*clones.enter, clones);
    drop_promises(*clones.enter);
    write_selector(*clones.enter, *clones.hooked, *clones.light, clones.record);
  }

  bool is_small(const Clones& clones) const {
    const auto& f = *clones.plain;
    return f.hasFnAttribute(llvm::Attribute::AlwaysInline) || f.hasFnAttribute(llvm::Attribute::InlineHint) ||
           f.getInstructionCount() <= kSmall || (!clones.dispatcher && clones.hooked->hasOneUse());
  }

  // Which of the light clone's callees it calls directly, and so the functions whose sites it depends on: its own
  // first.
  const llvm::SetVector<unsigned>& depend(unsigned index) {
    auto& mine = depends_[index];
    if (!mine.empty()) return mine;
    mine.insert(index);
    in_progress_.insert(index);
    for (auto& instruction : llvm::instructions(*all_[index].light)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto* callee = call ? llvm::dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts()) : nullptr;
      auto found = callee ? by_hooked_.find(callee) : by_hooked_.end();
      if (found == by_hooked_.end() || !all_[found->second].light) continue;
      auto& clones = all_[found->second];
      if (is_small(clones) && !in_progress_.contains(found->second)) {
        llvm::SetVector<unsigned> both = mine;
        const auto& theirs = depend(found->second);
        both.insert(theirs.begin(), theirs.end());
        if (both.size() <= kMostRanges) {
          mine = both;
          call->setCalledOperand(clones.light);
          continue;
        }
      }
      if (clones.enter) call->setCalledOperand(clones.enter);
    }
    in_progress_.erase(index);
    return mine;
  }

  llvm::Constant* distance(llvm::GlobalVariable* to, llvm::GlobalVariable* from, llvm::ArrayRef<unsigned> path) {
    auto *i32 = llvm::Type::getInt32Ty(module_.getContext()), *i64 = llvm::Type::getInt64Ty(module_.getContext());
    llvm::SmallVector<llvm::Constant*> indices{llvm::ConstantInt::get(i32, 0)};
    for (unsigned step : path) indices.push_back(llvm::ConstantInt::get(i32, step));
    auto* here = llvm::ConstantExpr::getInBoundsGetElementPtr(from->getValueType(), from, indices);
    auto* bytes = llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(to, i64),
                                             llvm::ConstantExpr::getPtrToInt(here, i64));
    return llvm::ConstantExpr::getTrunc(bytes, i32);
  }

  void write_record(const Clones& clones, const llvm::SetVector<unsigned>& functions) {
    auto* number = llvm::Type::getInt32Ty(module_.getContext());
    auto* pair = llvm::StructType::get(module_.getContext(), {number, number});
    llvm::SmallVector<SiteArray> arrays;
    for (unsigned f : functions)
      if (sites_[f].array) arrays.push_back(sites_[f]);
    auto* ranges = data(clones, llvm::ArrayType::get(pair, arrays.size()), "__heddle_light_ranges", false);
    ranges->setConstant(true);
    llvm::SmallVector<llvm::Constant*> elements;
    for (unsigned i = 0; i < arrays.size(); ++i)
      elements.push_back(llvm::ConstantStruct::get(
          pair, {distance(arrays[i].array, ranges, {i, 0}), llvm::ConstantInt::get(number, arrays[i].count)}));
    ranges->setInitializer(llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(ranges->getValueType()), elements));
    auto* none = llvm::ConstantInt::get(number, 0);
    clones.record->setInitializer(llvm::ConstantStruct::get(
        llvm::cast<llvm::StructType>(clones.record->getValueType()),
        {none, llvm::ConstantInt::get(number, arrays.size()), distance(ranges, clones.record, {2}), none}));
  }

  // Hooked code and dispatchers enter where it is decided which clone is executed.
  void redirect(const Clones& clones) {
    clones.hooked->replaceUsesWithIf(clones.enter, [&](const llvm::Use& use) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      return user && user->getFunction() != clones.enter;
    });
  }

  llvm::Module& module_;
  std::vector<Clones>& all_;
  const std::vector<SiteArray>& sites_;
  SitedFunctions sited_;
  llvm::DenseMap<const Function*, unsigned> by_hooked_;
  std::vector<llvm::SetVector<unsigned>> depends_{all_.size()};  // by function: others, empty: not known yet
  llvm::DenseSet<unsigned> in_progress_;
};

}  // namespace

void make_light_clones(llvm::Module& module, std::vector<Clones>& all, const std::vector<SiteArray>& sites,
                       Stats& stats) {
  stats.light = Maker(module, all, sites).make();
}

void keep_sited_calls_in_place(const std::vector<Clones>& all) {
  SitedFunctions sited;
  for (const auto& clones : all)
    if (SitedFunctions::is_large(*clones.plain) && sited.contains(*clones.plain))
      clones.hooked->addFnAttr(llvm::Attribute::NoInline);
}

}  // namespace heddle
