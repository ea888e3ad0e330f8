#include "pass/record_clone.h"

#include "abi/record_hooks.h"
#include "pass/clone_body.h"
#include "pass/dispatcher.h"
#include "pass/module_ctor.h"
#include "pass/record_hooks.h"
#include "pass/recursion.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace heddle {
namespace {

using llvm::Function;

constexpr const char *kNotes = "heddle.clones", *kPlain = "heddle-plain";

// One function of the program; what the optimiser made of `plain` (specialised or outlined) has no dispatcher and no
// hooked clone.
struct Origin {
  std::string name;
  Function* hooked = nullptr;
  Function* dispatcher = nullptr;
};
using Origins = llvm::MapVector<Function*, Origin>;  // by plain clone

bool is_plain(const Function& f) { return f.hasFnAttribute(kPlain) && !f.isDeclaration(); }

Function* noted(const llvm::MDNode& node, unsigned i) {
  auto* value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node.getOperand(i).get());
  return value ? llvm::dyn_cast<Function>(value->getValue()) : nullptr;
}

Origins read_notes(llvm::Module& module) {
  Origins origins;
  auto* notes = module.getNamedMetadata(kNotes);
  if (!notes) return origins;
  for (const auto* node : notes->operands()) {
    auto* plain = noted(*node, 1);
    if (plain && is_plain(*plain))
      origins[plain] = {llvm::cast<llvm::MDString>(node->getOperand(0))->getString().str(), noted(*node, 2),
                        noted(*node, 3)};
  }
  notes->eraseFromParent();
  for (auto& f : module)
    if (is_plain(f) && !origins.contains(&f)) origins[&f] = {f.getName().str(), nullptr, nullptr};
  return origins;
}

// Functions of the optimiser's own that are reached by address (the parts of a coroutine) would go on without checks.
class Addresses {
 public:
  bool taken_in(const Function& f) {
    for (const auto& instruction : llvm::instructions(f)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      for (const auto& operand : instruction.operands())
        if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand);
            constant && !(call && call->isCallee(&operand)) && names_plain(*constant))
          return true;
    }
    return false;
  }

 private:
  bool names_plain(const llvm::Constant& constant) {
    if (const auto* f = llvm::dyn_cast<Function>(&constant)) return is_plain(*f);
    if (constant.getNumOperands() == 0 || llvm::isa<llvm::BlockAddress>(constant)) return false;
    const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&constant);
    if (global && !global->hasLocalLinkage()) return false;
    auto [known, is_new] = known_.try_emplace(&constant, false);
    if (!is_new) return known->second;
    bool names = false;
    for (const auto& operand : constant.operands()) names |= names_plain(*llvm::cast<llvm::Constant>(operand));
    return known_[&constant] = names;
  }
  llvm::DenseMap<const llvm::Constant*, bool> known_;
};

Function* callee_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call ? llvm::dyn_cast<Function>(call->getCalledOperand()) : nullptr;
}

// Whom a record clone calls in place of `plain`, which has none.
Function* stand_in(const Function& plain, const Origin& origin) {
  auto* hooked = origin.hooked;
  return hooked && !hooked->isDeclaration() && hooked->getFunctionType() == plain.getFunctionType() ? hooked : nullptr;
}

llvm::DenseSet<const Function*> unfit(const Origins& origins) {
  llvm::DenseSet<const Function*> result;
  Addresses addresses;
  for (const auto& [plain, _] : origins)
    if (addresses.taken_in(*plain) || plain->callsFunctionThatReturnsTwice())
      result.insert(plain);  // vfork(): its child is nobody
  for (bool changed = !result.empty(); changed;) {
    changed = false;
    for (const auto& [plain, _] : origins) {
      if (result.contains(plain)) continue;
      for (const auto& instruction : llvm::instructions(*plain)) {
        auto* callee = callee_of(instruction);
        if (!callee || !result.contains(callee) || stand_in(*callee, origins.find(callee)->second)) continue;
        result.insert(plain);
        changed = true;
        break;
      }
    }
  }
  return result;
}

Function* clone_for_record(Function& plain, const Origin& origin) {
  auto* record = clone_body(plain, origin.name + ".record");
  record->setLinkage(plain.getLinkage());
  record->setVisibility(plain.getVisibility());
  record->setDSOLocal(true);
  // Merged across modules, or a part of what its original is a part of.
  const bool merged = plain.hasLinkOnceODRLinkage();
  record->setComdat(merged ? plain.getParent()->getOrInsertComdat(record->getName()) : plain.getComdat());
  drop_promises(*record);
  record->removeFnAttr(kPlain);
  record->addFnAttr("frame-pointer", "all");  // as in hooked clones
  record->addFnAttr("disable-tail-calls", "true");
  return record;
}

void retarget(Function& record, const llvm::DenseMap<const Function*, Function*>& targets) {
  for (auto& instruction : llvm::instructions(record)) {
    auto* callee = callee_of(instruction);
    auto found = callee ? targets.find(callee) : targets.end();
    if (found == targets.end()) continue;
    auto& call = llvm::cast<llvm::CallBase>(instruction);
    call.setCalledOperand(found->second);
    drop_promises(call);
  }
}

// The site of an interposed call is its return address. Behind a check the code generator would copy a short block with
// such a call into the path of the slow hook, and the site would depend on whether the hook was slow, which differs
// between a recording and its replay. It does not copy blocks with convergent code in them.
//
//   before:  test; jle slow; mov $3, %edi; call _exit      slow: call hook; mov $3, %edi; call _exit
//   after:   test; jle slow; back: mov $3, %edi; call _exit      slow: call hook; jmp back
void keep_single(Function& record) {
  llvm::SmallVector<llvm::CallBase*> calls;
  for (auto& instruction : llvm::instructions(record)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || call->isInlineAsm() || llvm::isa<llvm::IntrinsicInst>(call)) continue;
    const auto* callee = call->getCalledFunction();
    if (!callee || callee->isDeclaration()) calls.push_back(call);
  }
  if (calls.empty()) return;
  auto* nothing = llvm::FunctionType::get(llvm::Type::getVoidTy(record.getContext()), false);
  auto* mark = llvm::InlineAsm::get(nothing, "", "", true);
  for (auto* call : calls)
    llvm::CallInst::Create(nothing, mark, "", call)->addFnAttr(llvm::Attribute::Convergent);
}

}  // namespace

void remember_clones(llvm::Module& module, const std::vector<Clones>& clones) {
  auto& context = module.getContext();
  auto* notes = module.getOrInsertNamedMetadata(kNotes);
  auto metadata = [](Function* f) -> llvm::Metadata* { return f ? llvm::ValueAsMetadata::get(f) : nullptr; };
  for (const auto& one : clones) {
    one.plain->addFnAttr(kPlain);
    notes->addOperand(llvm::MDNode::get(context, {llvm::MDString::get(context, one.name), metadata(one.plain),
                                                  metadata(one.hooked), metadata(one.dispatcher)}));
  }
}

void make_record_clones(llvm::Module& module) {
  const auto origins = read_notes(module);
  if (origins.empty()) return;
  const auto left_out = unfit(origins);
  const auto recursive = recursive_functions(module);
  llvm::DenseMap<const Function*, Function*> targets;
  std::vector<std::pair<const Function*, Function*>> made;
  for (const auto& [plain, origin] : origins) {
    if (left_out.contains(plain)) {
      if (auto* hooked = stand_in(*plain, origin)) targets[plain] = hooked;
      continue;
    }
    made.push_back({plain, targets[plain] = clone_for_record(*plain, origin)});
  }
  Hooks hooks(module);
  Sites sites(module, HEDDLE_RECORD_SITE_SECTION);
  Stats stats;
  auto* active = find_active(module);
  for (auto [plain, record] : made) {
    const auto& origin = origins.find(const_cast<Function*>(plain))->second;
    retarget(*record, targets);
    keep_single(*record);
    instrument_record(module, active, *record, origin.name, recursive.contains(plain) || origin.dispatcher, hooks,
                      sites, stats);
    if (active && origin.dispatcher && !origin.dispatcher->isDeclaration())
      dispatch_recordings(*origin.dispatcher, *plain, *record, active);
  }
}

}  // namespace heddle
