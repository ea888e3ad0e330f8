#include "pass/eligible.h"

#include "pass/clone_body.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/Instructions.h"

namespace heddle {
namespace {

// LLVM turns a loop that copies memory into a call of memcpy, unless it sits in a function of that very name. In
// `memcpy.plain` it would not see that.
bool is_library_loop(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("memcpy", "memmove", "memset", "memcmp", "bcmp", "bcopy", "bzero", "strlen", true)
      .Default(false);
}

// Addresses of blocks (&&label) can follow into the clones if nobody but `f` has them: in its code, or in constant
// tables that only its code reads.
bool gives_away_labels(const llvm::Function& f) {
  bool gives = false;
  auto is_own = [&](const llvm::User* user) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return instruction && instruction->getFunction() == &f;
  };
  for (const auto& block : f) {
    auto* address = llvm::BlockAddress::lookup(&block);
    if (!address) continue;
    for_each_holder(*address, [&](llvm::User* holder) {
      auto* table = llvm::dyn_cast<llvm::GlobalVariable>(holder);
      if (!table) {
        gives |= !is_own(holder);
        return;
      }
      gives |= !table->hasLocalLinkage() || !table->isConstant();
      for_each_holder(*table, [&](llvm::User* reader) { gives |= !is_own(reader); });
    });
  }
  return gives;
}

bool resolves_an_ifunc(const llvm::Function& f) {
  for (const auto& ifunc : f.getParent()->ifuncs())
    if (ifunc.getResolverFunction() == &f) return true;
  return false;
}

bool passes_by_unsupported_convention(const llvm::Function& f) {
  for (const auto& argument : f.args())
    if (argument.hasInAllocaAttr() || argument.hasPreallocatedAttr() || argument.hasSwiftErrorAttr()) return true;
  return false;
}

}  // namespace

// @llvm.global.annotations = [{function, text, file, line, arguments}, ...]
Eligibility::Eligibility(const llvm::Module& module) {
  const auto* annotations = module.getGlobalVariable("llvm.global.annotations");
  const auto* entries = annotations ? llvm::dyn_cast<llvm::ConstantArray>(annotations->getInitializer()) : nullptr;
  if (!entries) return;
  for (const auto& operand : entries->operands()) {
    const auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(operand);
    llvm::StringRef text;
    if (entry && llvm::getConstantStringInfo(entry->getOperand(1), text) && text == "heddle-ignore")
      ignored_.insert(entry->getOperand(0)->stripPointerCasts());
  }
}

const char* Eligibility::why_not(const llvm::Function& f) const {
  if (f.hasAvailableExternallyLinkage()) return "body lives in another module";
  if (f.getName().starts_with("__heddle_")) return "part of heddle";
  if (f.hasFnAttribute(llvm::Attribute::Naked)) return "naked";
  if (ignored_.contains(&f) || f.hasFnAttribute("heddle-ignore") ||
      f.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation))
    return "asked not to";
  if (gives_away_labels(f)) return "its labels are used elsewhere";
  if (resolves_an_ifunc(f)) return "resolves an ifunc";
  if (is_library_loop(f.getName())) return "library function";
  if (passes_by_unsupported_convention(f)) return "unsupported argument convention";
  return nullptr;
}

}  // namespace heddle
