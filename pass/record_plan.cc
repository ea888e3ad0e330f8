// Which accesses of a record clone one hook stands for, and which hooks are counted together.
//
// A group is a run of accesses in one block, with nothing between them that could stop the thread, whose addresses are
// all known in front of the first: the hook takes all of their memory over at once. So the thread has it until its next
// hook, and an access to what another one of the group touches needs no check of its own. A region is code between two
// counts: it begins at the entry, where loops are entered again, behind a call, and where ways of different regions
// meet.
#include "abi/events.h"
#include "abi/record_hooks.h"
#include "abi/site.h"
#include "pass/record_hooks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"

namespace heddle {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// Nothing of the program or of the runtime runs in it.
bool is_harmless(const Instruction& instruction) {
  if (!llvm::isa<llvm::CallBase>(instruction)) return true;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!intrinsic) return false;
  return intrinsic->doesNotAccessMemory() || intrinsic->isAssumeLikeIntrinsic() ||
         llvm::isa<llvm::MemIntrinsic>(intrinsic);
}

uint8_t kind_of(const Instruction& instruction) {
  if (llvm::isa<llvm::AtomicRMWInst>(instruction)) return HEDDLE_EV_ATOMIC_RMW;
  if (llvm::isa<llvm::AtomicCmpXchgInst>(instruction)) return HEDDLE_EV_ATOMIC_CAS;
  if (instruction.isAtomic())
    return llvm::isa<llvm::StoreInst>(instruction) ? HEDDLE_EV_ATOMIC_STORE : HEDDLE_EV_ATOMIC_LOAD;
  return llvm::isa<llvm::StoreInst>(instruction) ? HEDDLE_EV_WRITE : HEDDLE_EV_READ;
}

// root + index * scale + offset. Equal but for `offset`: their distance is known.
struct Place {
  const Value* root = nullptr;
  const Value* index = nullptr;
  unsigned widened = 0;  // the index: by which instruction
  int64_t scale = 0, offset = 0;

  bool is_beside(const Place& other) const {
    return root == other.root && index == other.index && widened == other.widened && scale == other.scale;
  }
};

// X + C, which does not overflow: X, and *offset grows by C * scale.
const Value* without_addend(const Value* value, bool is_signed, int64_t scale, int64_t* offset) {
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
  const auto* addend = sum ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
  if (!addend || addend->getBitWidth() > 64 || !addend->getValue().isSignedIntN(32)) return value;
  const bool is_sum =
      sum->getOpcode() == Instruction::Add && (is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap());
  const auto* either = llvm::dyn_cast<llvm::PossiblyDisjointInst>(sum);
  if (!is_sum && !(either && either->isDisjoint() && addend->getSExtValue() >= 0)) return value;
  *offset += addend->getSExtValue() * scale;
  return sum->getOperand(0);
}

Place place_of(Value* pointer, const llvm::DataLayout& layout) {
  Place place;
  llvm::APInt distance(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  place.root = pointer->stripAndAccumulateConstantOffsets(layout, distance, /*AllowNonInbounds=*/true);
  place.offset = distance.getSExtValue();
  const auto* indexed = llvm::dyn_cast<llvm::GEPOperator>(place.root);
  if (!indexed || indexed->getType()->isVectorTy()) return place;
  llvm::APInt constant(distance.getBitWidth(), 0);
  llvm::MapVector<Value*, llvm::APInt> variable;
  if (!indexed->collectOffset(layout, distance.getBitWidth(), variable, constant) || variable.size() != 1) return place;
  const auto& [index, scale] = *variable.begin();
  place.root = indexed->getPointerOperand();
  place.scale = scale.getSExtValue();
  place.offset += constant.getSExtValue();
  const auto* widened = llvm::dyn_cast<llvm::CastInst>(index);
  const bool widens = widened && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(widened);
  if (!widens && index->getType()->getIntegerBitWidth() < distance.getBitWidth()) return place.index = index, place;
  place.widened = widens ? widened->getOpcode() : 0;
  place.index = without_addend(widens ? widened->getOperand(0) : index, !widens || llvm::isa<llvm::SExtInst>(widened),
                               place.scale, &place.offset);
  return place;
}

// A function without a record clone: it may have jumped out of code without hooks (longjmp) and come to none since.
bool calls_hooked(const Instruction& instruction) {
  const auto* callee = llvm::cast<llvm::CallBase>(instruction).getCalledFunction();
  return callee && callee->getName().ends_with(".heddle");
}

class Planner {
 public:
  Planner(llvm::Function& f, const llvm::DenseSet<const Instruction*>& accesses, const Privacy& privacy,
          bool polls_at_entry)
      : function_(f),
        accesses_(accesses),
        privacy_(privacy),
        polls_at_entry_(polls_at_entry),
        layout_(f.getParent()->getDataLayout()) {}

  RecordPlan plan() {
    llvm::SmallVector<std::pair<const BasicBlock*, const BasicBlock*>> edges;
    llvm::FindFunctionBackedges(function_, edges);
    for (auto [_, to] : edges) headers_.insert(to);
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (auto* block : order) walk(*block);
    number();
    return std::move(plan_);
  }

 private:
  static constexpr int kNone = -1;

  int begin_region(Instruction* at, bool polls) {
    plan_.regions.push_back({at, polls, polls ? 1u : 0u});
    return static_cast<int>(plan_.regions.size() - 1);
  }

  // The region that all ways into the block come from; else a new one.
  int region_at(BasicBlock& block) {
    const bool is_entry = block.isEntryBlock();
    // Where loops go round, and where an exception may come from code without hooks, which ends the thread's absence.
    const bool polls = headers_.contains(&block) || block.isLandingPad() || (is_entry && polls_at_entry_);
    if (!is_entry && !polls) {
      int common = kNone;
      bool differ = false;
      for (auto* from : llvm::predecessors(&block)) {
        auto known = out_.find(from);
        const int region = known == out_.end() ? kNone : known->second;
        differ |= region == kNone || (common != kNone && region != common);
        common = region;
      }
      if (!differ && common != kNone) return common;
    }
    auto at = is_entry ? block.getFirstNonPHIOrDbgOrAlloca() : block.getFirstInsertionPt();
    return at == block.end() ? kNone : begin_region(&*at, polls);
  }

  void walk(BasicBlock& block) {
    region_ = region_at(block);
    open_ = kNone;
    for (auto& instruction : llvm::make_early_inc_range(block)) {
      if (accesses_.contains(&instruction)) {
        for (const auto& access : record_accesses(instruction, privacy_)) add(instruction, access);
      } else if (!is_harmless(instruction)) {
        open_ = region_ = kNone;
        const bool goes_on = !instruction.isTerminator() && !llvm::cast<llvm::CallBase>(instruction).isMustTailCall();
        if (goes_on) region_ = begin_region(instruction.getNextNode(), calls_hooked(instruction));
      }
    }
    out_[&block] = region_;
  }

  void add(Instruction& instruction, const RecordAccess& access) {
    const Place place = place_of(access.pointer, layout_);
    if (open_ == kNone || !fits(place, access) || changes_what_was_read(instruction, place, access)) {
      if (region_ == kNone || plan_.regions[static_cast<size_t>(region_)].hooks + 1 >= HEDDLE_RECORD_HOOKS)
        region_ = begin_region(&instruction, false);
      plan_.groups.push_back({RecordGroup{&instruction, {}, {}}, static_cast<unsigned>(region_)});
      plan_.regions[static_cast<size_t>(region_)].hooks++;
      open_ = static_cast<int>(plan_.groups.size() - 1);
      places_.clear();
    }
    auto& group = plan_.groups[static_cast<size_t>(open_)].first;
    const unsigned slot = take(group, place, access);
    group.members.push_back({&instruction, access.pointer, access.kind, static_cast<uint8_t>(access.size),
                             flag_if(instruction.isVolatile(), HEDDLE_SITE_VOLATILE), slot,
                             place.offset - places_[slot].offset});
  }

  // The slot that can hold it, too; kNone: none.
  int slot_for(const RecordGroup& group, const Place& place, const RecordAccess& access) const {
    for (unsigned i = 0; i < places_.size(); ++i) {
      const int64_t offset = place.offset - places_[i].offset, end = offset + static_cast<int64_t>(access.size);
      const auto& slot = group.slots[i];
      if (place.is_beside(places_[i]) && std::max(slot.high, end) - std::min(slot.low, offset) <= HEDDLE_RECORD_SPAN)
        return static_cast<int>(i);
    }
    return kNone;
  }

  // What a group touches is the thread's from its hook to the next one, so `x++` in one group could not lose an update.
  // Two accesses of one instruction stay together.
  bool changes_what_was_read(const Instruction& instruction, const Place& place, const RecordAccess& access) const {
    if (!access.written) return false;
    for (const auto& member : plan_.groups[static_cast<size_t>(open_)].first.members) {
      const bool reads = member.kind == HEDDLE_EV_READ || member.kind == HEDDLE_EV_READ_RANGE;
      if (!reads || member.access == &instruction || !place.is_beside(places_[member.slot])) continue;
      const int64_t offset = place.offset - places_[member.slot].offset;
      if (member.offset < offset + static_cast<int64_t>(access.size) && offset < member.offset + member.size)
        return true;
    }
    return false;
  }

  bool fits(const Place& place, const RecordAccess& access) {
    auto& group = plan_.groups[static_cast<size_t>(open_)].first;
    if (group.members.size() >= 255) return false;
    if (slot_for(group, place, access) != kNone) return true;
    return group.slots.size() < HEDDLE_RECORD_SLOTS && is_known_at(access.pointer, *group.at);
  }

  // Offsets of a slot are from the pointer of the access that began it.
  unsigned take(RecordGroup& group, const Place& place, const RecordAccess& access) {
    const auto bytes = static_cast<int64_t>(access.size);
    const int64_t block = std::min<int64_t>(static_cast<int64_t>(access.alignment.value()), HEDDLE_RECORD_SPAN);
    int found = slot_for(group, place, access);
    if (found == kNone) {
      found = static_cast<int>(group.slots.size());
      group.slots.push_back({access.pointer, 0, bytes, false, block, 0});
      places_.push_back(place);
    }
    auto& slot = group.slots[static_cast<size_t>(found)];
    const int64_t offset = place.offset - places_[static_cast<size_t>(found)].offset;
    slot.low = std::min(slot.low, offset);
    slot.high = std::max(slot.high, offset + bytes);
    slot.written |= access.written;
    if (block > slot.block) slot.block = block, slot.aligned = offset;
    return static_cast<unsigned>(found);
  }

  // Computed in front of `at`, or it can be: what is pure is moved there.
  bool is_known_at(Value* value, Instruction& at, int depth = 0) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != at.getParent() || instruction->comesBefore(&at)) return true;
    if (instruction == &at || depth > 6 || llvm::isa<llvm::PHINode>(instruction) ||
        instruction->mayReadOrWriteMemory() || !llvm::isSafeToSpeculativelyExecute(instruction))
      return false;
    if (llvm::isa<llvm::AllocaInst, llvm::CallBase>(instruction)) return false;
    for (auto& operand : instruction->operands())
      if (!is_known_at(operand, at, depth + 1)) return false;
    instruction->moveBefore(&at);
    return true;
  }

  void number() {
    std::vector<unsigned> next;
    for (const auto& region : plan_.regions) next.push_back(region.polls ? 1 : 0);
    for (auto& [group, region] : plan_.groups) group.number = ++next[region];
  }

  llvm::Function& function_;
  const llvm::DenseSet<const Instruction*>& accesses_;
  const Privacy& privacy_;
  bool polls_at_entry_;
  const llvm::DataLayout& layout_;
  llvm::DenseSet<const BasicBlock*> headers_;
  llvm::DenseMap<const BasicBlock*, int> out_;  // the region at the end of a block
  RecordPlan plan_;
  llvm::SmallVector<Place, 4> places_;  // of the slots of the open group
  int region_ = kNone, open_ = kNone;  // where the walk is; the group that can take more
};

}  // namespace

llvm::SmallVector<RecordAccess, 2> record_accesses(Instruction& instruction, const Privacy& privacy) {
  const auto& layout = instruction.getModule()->getDataLayout();
  llvm::SmallVector<RecordAccess, 2> found;
  auto add = [&](Value* pointer, uint64_t size, llvm::Align alignment, bool written, uint8_t kind) {
    if (pointer->getType()->getPointerAddressSpace() == 0 && !privacy.covers(pointer))
      found.push_back({pointer, size, alignment, written, kind});
  };
  auto fits = [](llvm::TypeSize size) {
    return !size.isScalable() && size.getFixedValue() >= 1 && size.getFixedValue() <= HEDDLE_RECORD_SPAN;
  };
  if (auto* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
    auto size = layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction));
    if (fits(size))
      add(const_cast<Value*>(pointer), size.getFixedValue(), llvm::getLoadStoreAlignment(&instruction),
          llvm::isa<llvm::StoreInst>(instruction), kind_of(instruction));
  } else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    auto size = layout.getTypeStoreSize(rmw->getType());
    if (fits(size)) add(rmw->getPointerOperand(), size.getFixedValue(), rmw->getAlign(), true, kind_of(instruction));
  } else if (auto* cas = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    auto size = layout.getTypeStoreSize(cas->getCompareOperand()->getType());
    if (fits(size)) add(cas->getPointerOperand(), size.getFixedValue(), cas->getAlign(), true, kind_of(instruction));
  } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    if (!length || length->getZExtValue() < 1 || length->getZExtValue() > HEDDLE_RECORD_SPAN) return found;
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(memory))
      add(transfer->getRawSource(), length->getZExtValue(), transfer->getSourceAlign().valueOrOne(), false,
          HEDDLE_EV_READ_RANGE);
    add(memory->getRawDest(), length->getZExtValue(), memory->getDestAlign().valueOrOne(), true, HEDDLE_EV_WRITE_RANGE);
  }
  return found;
}

RecordPlan plan_record(llvm::Function& record, const llvm::DenseSet<const Instruction*>& accesses,
                       const Privacy& privacy, bool polls_at_entry) {
  return Planner(record, accesses, privacy, polls_at_entry).plan();
}

}  // namespace heddle
