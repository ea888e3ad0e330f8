// Writes the checks that record_plan.cc planned.
//
//   hot = *(%fs: + __heddle_hot_offset)                                  once per function
//   hot->budget -= K;  if (hot->budget <= 0) __heddle_record_enter()    once per region; where it polls:
//                      if (hot->budget <= 0 || hot->request) __heddle_record_poll(K - 1)
//   if (state(p) != hot->check_word) __heddle_record(@site, shape, p)   once per group; what is only read: also if
//   (state(p) & ~1) differs and
//                                                                       state(p) - 1 is not below hot->check_shared
#include "pass/record_hooks.h"

#include "abi/events.h"
#include "abi/record_hooks.h"
#include "abi/site.h"
#include "pass/module_ctor.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle {
namespace {

using llvm::Instruction;
using llvm::Value;

class Writer {
 public:
  Writer(Work& work, llvm::Function& f)
      : work_(work),
        function_(f),
        context_(f.getContext()),
        i64_(llvm::Type::getInt64Ty(context_)),
        i32_(llvm::Type::getInt32Ty(context_)) {}

  void write(const RecordPlan& plan) {
    if (llvm::none_of(plan.regions, [](const RecordRegion& region) { return region.hooks; })) return;
    begin();
    for (const auto& region : plan.regions)
      if (region.hooks) write_region(region);
    for (const auto& [group, region] : plan.groups) write_group(group, plan.regions[region]);
  }

 private:
  // Memory of ours: of no interest to sanitizers.
  template <class T>
  T* ours(T* access) {
    access->setMetadata(llvm::LLVMContext::MD_nosanitize, llvm::MDNode::get(context_, {}));
    return access;
  }

  Value* field(llvm::IRBuilder<>& builder, unsigned offset) {
    return builder.CreateConstGEP1_32(builder.getInt8Ty(), hot_, offset);
  }
  llvm::LoadInst* load(llvm::IRBuilder<>& builder, llvm::Type* type, unsigned offset) {
    return ours(builder.CreateLoad(type, field(builder, offset)));
  }

  void begin() {
    auto& entry = function_.getEntryBlock();
    BuilderBefore builder(*entry.getFirstNonPHIOrDbgOrAlloca());
    auto* offset = ours(builder.CreateLoad(i64_, declare_record(work_.module)));
    constexpr unsigned kFs = 257;
    auto* place = builder.CreateIntToPtr(offset, llvm::PointerType::get(context_, kFs));
    hot_ = ours(builder.CreateLoad(builder.getPtrTy(), place));
    states_ = load(builder, builder.getPtrTy(), HEDDLE_HOT_STATES);
  }

  // The block that is entered if `condition` holds, which is rare.
  Instruction& rarely(Value* condition, Instruction& before) {
    return *llvm::SplitBlockAndInsertIfThen(condition, before.getIterator(), /*Unreachable=*/false,
                                            llvm::MDBuilder(context_).createBranchWeights(1, 100000));
  }

  void call(llvm::IRBuilder<>& builder, llvm::StringRef name, llvm::ArrayRef<Value*> arguments) {
    auto* made = work_.hooks.call(builder, name, arguments);
    made->setCallingConv(llvm::CallingConv::PreserveMost);
    made->getCalledFunction()->setCallingConv(llvm::CallingConv::PreserveMost);
  }

  void write_region(const RecordRegion& region) {
    BuilderBefore builder(*region.at);
    auto* left = builder.CreateSub(load(builder, i32_, HEDDLE_HOT_BUDGET), builder.getInt32(region.hooks));
    ours(builder.CreateStore(left, field(builder, HEDDLE_HOT_BUDGET)));
    auto* wanted = builder.CreateICmpSLE(left, builder.getInt32(0));
    if (region.polls)
      wanted = builder.CreateOr(wanted, builder.CreateIsNotNull(load(builder, i32_, HEDDLE_HOT_REQUEST)));
    BuilderBefore slow(rarely(wanted, *region.at));
    if (region.polls)
      call(slow, "__heddle_record_poll", {slow.getInt32(region.hooks - 1)});
    else
      call(slow, "__heddle_record_enter", {});
  }

  struct Check {
    Value* state;
    bool written;
  };

  Value* state_of(llvm::IRBuilder<>& builder, Value* address) {
    auto* place = builder.CreateAnd(builder.CreateLShr(builder.CreateTrunc(address, i32_), 3), builder.getInt32(~7u));
    return ours(
        builder.CreateLoad(i64_, builder.CreateGEP(builder.getInt8Ty(), states_, builder.CreateZExt(place, i64_))));
  }

  void write_group(const RecordGroup& group, const RecordRegion& region) {
    BuilderBefore builder(*group.at);
    auto* word = load(builder, i64_, HEDDLE_HOT_CHECK);
    llvm::SmallVector<Value*> addresses;
    llvm::SmallVector<Check> checks;
    for (const auto& slot : group.slots) {
      auto* start = slot.low
                        ? builder.CreateConstGEP1_64(builder.getInt8Ty(), slot.base, static_cast<uint64_t>(slot.low))
                        : slot.base;
      auto* address = builder.CreatePtrToInt(start, i64_);
      addresses.push_back(address);
      checks.push_back({state_of(builder, address), slot.written});
      if (!slot.lies_in_one_stripe())
        checks.push_back(
            {state_of(builder,
                      builder.CreateAdd(address, builder.getInt64(static_cast<uint64_t>(slot.high - slot.low - 1)))),
             slot.written});
    }
    auto& maybe = rarely(differ(builder, checks, word), *group.at);
    BuilderBefore second(maybe);
    auto* refused = really_differ(second, checks, word);
    BuilderBefore slow(refused ? rarely(refused, maybe) : maybe);
    llvm::SmallVector<Value*> arguments{sites(group), slow.getInt64(shape(group, region))};
    for (unsigned i = 0; i < HEDDLE_RECORD_SLOTS; ++i)
      arguments.push_back(i < addresses.size() ? addresses[i] : llvm::PoisonValue::get(i64_));
    call(slow, "__heddle_record", arguments);
  }

  Value* difference(llvm::IRBuilder<>& builder, const Check& check, Value* word) {
    auto* state = check.written ? check.state
                                : builder.CreateAnd(check.state, builder.getInt64(~uint64_t{HEDDLE_STATE_READ_ONLY}));
    return builder.CreateXor(state, word);
  }

  Value* differ(llvm::IRBuilder<>& builder, llvm::ArrayRef<Check> checks, Value* word) {
    Value* all = nullptr;
    for (const auto& check : checks) {
      auto* one = difference(builder, check, word);
      all = all ? builder.CreateOr(all, one) : one;
    }
    return builder.CreateIsNotNull(all);
  }

  // One of them is neither the thread's own nor shared and known; null: nothing is only read.
  Value* really_differ(llvm::IRBuilder<>& builder, llvm::ArrayRef<Check> checks, Value* word) {
    if (llvm::all_of(checks, [](const Check& check) { return check.written; })) return nullptr;
    auto* seen = load(builder, i64_, HEDDLE_HOT_SHARED);
    Value* any = nullptr;
    for (const auto& check : checks) {
      Value* refused = builder.CreateIsNotNull(difference(builder, check, word));
      if (!check.written)
        refused = builder.CreateAnd(refused,
                                    builder.CreateICmpUGE(builder.CreateSub(check.state, builder.getInt64(1)), seen));
      any = any ? builder.CreateOr(any, refused) : refused;
    }
    return any;
  }

  // Those of all members, one behind the other; the first.
  llvm::Constant* sites(const RecordGroup& group) {
    llvm::Constant* first = nullptr;
    for (const auto& member : group.members) {
      const auto within = static_cast<uint32_t>(member.offset - group.slots[member.slot].low);
      SiteKey key{
          member.kind, member.size, member.flags | member.slot << HEDDLE_SITE_SLOT | within << HEDDLE_SITE_OFFSET, {}};
      auto* site = work_.site(*member.access, key, member.pointer);
      if (!first) first = site;
    }
    return first;
  }

  static uint64_t shape(const RecordGroup& group, const RecordRegion& region) {
    uint64_t shape = region.hooks - group.number;
    shape |= static_cast<uint64_t>(group.members.size()) << HEDDLE_SHAPE_ACCESSES |
             static_cast<uint64_t>(group.slots.size()) << HEDDLE_SHAPE_SLOTS;
    for (unsigned i = 0; i < group.slots.size(); ++i) {
      const auto& slot = group.slots[i];
      const auto bytes = static_cast<uint64_t>(slot.high - slot.low) | (slot.written ? HEDDLE_SHAPE_WRITTEN : 0);
      shape |= bytes << (HEDDLE_SHAPE_SLOT + 8 * i);
    }
    return shape;
  }

  Work& work_;
  llvm::Function& function_;
  llvm::LLVMContext& context_;
  llvm::Type *i64_, *i32_;
  Value *hot_ = nullptr, *states_ = nullptr;
};

// Blocks are split where checks go: what is reserved behind that would be taken anew at each passage.
void gather_allocas(llvm::Function& f) {
  auto& entry = f.getEntryBlock();
  auto* first = &*entry.getFirstNonPHIOrDbgOrAlloca();
  for (auto& instruction : llvm::make_early_inc_range(llvm::make_range(first->getIterator(), entry.end())))
    if (auto* reserved = llvm::dyn_cast<llvm::AllocaInst>(&instruction); reserved && reserved->isStaticAlloca())
      reserved->moveBefore(first);
}

// Hooks that are calls in a record clone, too.
void hook_out_of_line(Work& work, Instruction& instruction) {
  if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) hook_byval(work, *call);
  if (llvm::isa<llvm::FenceInst>(instruction)) return;  // a place to stop, no more: others are near
  hook_access(work, instruction) || hook_range(work, instruction) || hook_library(work, instruction) ||
      hook_vector(work, instruction) || hook_library_atomic(work, instruction) || hook_outside(work, instruction) ||
      hook_assembly(work, instruction) || hook_call(work, instruction);
}

}  // namespace

void instrument_record(llvm::Module& module, llvm::GlobalVariable* active, llvm::Function& record, llvm::StringRef name,
                       bool polls_at_entry, Hooks& hooks, Sites& sites, Stats& stats) {
  gather_allocas(record);
  Privacy privacy(record);
  Spins spins(record, privacy);
  CloneOrdinals none;  // its code is the optimiser's
  Work work{module, hooks, sites, none, stats, privacy, spins, active, /*recursive=*/false, name};
  llvm::DenseSet<const Instruction*> accesses;
  std::vector<Instruction*> others;
  for (auto& instruction : llvm::instructions(record)) {
    if (!record_accesses(instruction, privacy).empty())
      accesses.insert(&instruction);
    else if (instruction.mayReadOrWriteMemory() || llvm::isa<llvm::CallBase>(instruction))
      others.push_back(&instruction);
  }
  for (auto* instruction : others) hook_out_of_line(work, *instruction);
  const auto plan = plan_record(record, accesses, privacy, polls_at_entry);
  Writer(work, record).write(plan);
  sites.finish(record, name);
}

}  // namespace heddle
