#include "pass/clone.h"

#include "pass/clone_body.h"
#include "pass/dispatcher.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle {
namespace {

using llvm::Function;
using llvm::GlobalValue;

// May a caller in this module go round `f` and call the clone of the body it sees? Not if another body may win at link
// time, and not into a comdat group that may be discarded under the caller.
bool can_bypass(const Function& f) {
  if (f.isInterposable()) return false;
  return f.hasLinkOnceODRLinkage() || f.hasWeakODRLinkage() || !f.hasComdat() || f.hasLocalLinkage();
}

// Clones of ODR functions are merged across modules like their originals; all others belong to this module.
void place(Function& clone, const Function& original) {
  clone.setDSOLocal(true);
  clone.setDLLStorageClass(GlobalValue::DefaultStorageClass);
  if (original.hasLinkOnceODRLinkage() || original.hasWeakODRLinkage()) {
    clone.setLinkage(GlobalValue::LinkOnceODRLinkage);
    clone.setVisibility(GlobalValue::HiddenVisibility);
    clone.setComdat(clone.getParent()->getOrInsertComdat(clone.getName()));
    return;
  }
  clone.setVisibility(GlobalValue::DefaultVisibility);
  clone.setLinkage(GlobalValue::InternalLinkage);
  clone.setComdat(const_cast<llvm::Comdat*>(original.getComdat()));
}

Function* move_body(Function& f) {
  auto* plain = Function::Create(f.getFunctionType(), GlobalValue::InternalLinkage, f.getAddressSpace(),
                                 f.getName() + ".plain", f.getParent());
  plain->copyAttributesFrom(&f);
  plain->setPrefixData(nullptr);
  place(*plain, f);
  llvm::SmallVector<llvm::BlockAddress*> labels;
  for (auto& block : f)
    if (auto* label = llvm::BlockAddress::lookup(&block)) labels.push_back(label);
  plain->splice(plain->begin(), &f);
  for (auto [to, from] : llvm::zip(plain->args(), f.args())) {
    to.takeName(&from);
    from.replaceAllUsesWith(&to);
  }
  for (auto* label : labels) {  // &&label names its function too
    label->replaceAllUsesWith(llvm::BlockAddress::get(plain, label->getBasicBlock()));
    label->destroyConstant();
  }
  plain->setSubprogram(f.getSubprogram());
  if (auto* profile = f.getMetadata(llvm::LLVMContext::MD_prof))
    plain->setMetadata(llvm::LLVMContext::MD_prof, profile);
  f.setSubprogram(nullptr);
  f.setPersonalityFn(nullptr);
  return plain;
}

Function* clone_for_hooks(Function& plain, const Function& original) {
  auto* hooked = clone_body(plain, original.getName() + ".heddle");
  place(*hooked, original);
  drop_promises(*hooked);
  hooked->addFnAttr("frame-pointer", "all");        // the runtime walks the chain of frame pointers
  hooked->addFnAttr("disable-tail-calls", "true");  // and wants every caller in it
  return hooked;
}

// Sends direct calls of cloned functions in `body` to their clones of the same kind.
void retarget(Function& body, const llvm::DenseMap<GlobalValue*, Function*>& clones, bool hooked) {
  for (auto& instruction : llvm::instructions(body)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    auto* callee = llvm::dyn_cast<GlobalValue>(call->getCalledOperand()->stripPointerCasts());
    auto found = clones.find(callee);
    if (!callee || found == clones.end()) continue;
    call->setCalledOperand(found->second);
    if (hooked) drop_promises(*call);
  }
}

// Adds aliases (constructors C1 = C2) of functions in `clones` that cannot be replaced at link time.
void add_aliases(llvm::Module& module, llvm::DenseMap<GlobalValue*, Function*>& clones) {
  for (auto& alias : module.aliases()) {
    if (alias.isInterposable()) continue;
    auto found = clones.find(llvm::dyn_cast<GlobalValue>(alias.getAliasee()->stripPointerCasts()));
    if (found != clones.end()) clones[&alias] = found->second;
  }
}

}  // namespace

std::vector<Clones> clone_functions(const std::vector<Function*>& functions, llvm::GlobalVariable* active) {
  std::vector<Clones> result;
  llvm::DenseMap<GlobalValue*, Function*> to_plain, to_hooked;
  for (auto* f : functions)
    result.push_back({.dispatcher = f, .plain = move_body(*f), .hooked = nullptr, .name = f->getName().str()});
  for (auto& clones : result) {
    clones.hooked = clone_for_hooks(*clones.plain, *clones.dispatcher);
    if (!can_bypass(*clones.dispatcher)) continue;
    to_plain[clones.dispatcher] = clones.plain;
    to_hooked[clones.dispatcher] = clones.hooked;
  }
  if (functions.empty()) return result;
  add_aliases(*functions.front()->getParent(), to_plain);
  add_aliases(*functions.front()->getParent(), to_hooked);
  for (auto& clones : result) {
    retarget(*clones.plain, to_plain, false);
    retarget(*clones.hooked, to_hooked, true);
  }
  for (auto& clones : result) {
    auto& f = *clones.dispatcher;
    if (f.isDiscardableIfUnused() && f.use_empty()) {
      f.eraseFromParent();
      clones.dispatcher = nullptr;
      continue;
    }
    drop_promises(f);
    write_dispatcher(f, *clones.plain, *clones.hooked, active);
  }
  return result;
}

}  // namespace heddle
