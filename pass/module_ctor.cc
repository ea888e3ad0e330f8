#include "pass/module_ctor.h"

#include "abi/site.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace heddle {
namespace {

using llvm::GlobalValue;

// Hidden: each linked module sees its own section only. Weak: there may be no site at all after --gc-sections.
llvm::GlobalVariable* section_bound(llvm::Module& module, llvm::Twine name) {
  auto* bound = new llvm::GlobalVariable(module, llvm::Type::getInt8Ty(module.getContext()), false,
                                         GlobalValue::ExternalWeakLinkage, nullptr, name);
  bound->setVisibility(GlobalValue::HiddenVisibility);
  return bound;
}

llvm::Function* declare_register(llvm::Module& module) {
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {pointer, pointer, pointer}, false);
  auto* f = llvm::Function::Create(type, GlobalValue::ExternalWeakLinkage, "__heddle_register_module", module);
  f->setDoesNotThrow();
  return f;
}

}  // namespace

llvm::GlobalVariable* declare_active(llvm::Module& module) {
  auto* type = llvm::Type::getInt32Ty(module.getContext());
  auto* active = new llvm::GlobalVariable(module, type, false, GlobalValue::LinkOnceODRLinkage,
                                          llvm::ConstantInt::get(type, 0), "__heddle_active");
  active->setVisibility(GlobalValue::HiddenVisibility);
  active->setDSOLocal(true);
  active->setAlignment(llvm::Align(4));
  active->setComdat(module.getOrInsertComdat(active->getName()));
  // Else GlobalOpt would run the program's constructors at compile time with the value 0.
  active->setExternallyInitialized(true);
  return active;
}

void add_module_constructor(llvm::Module& module, llvm::GlobalVariable* active) {
  auto& context = module.getContext();
  auto* f = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                   GlobalValue::LinkOnceODRLinkage, "__heddle_module_ctor", module);
  f->setVisibility(GlobalValue::HiddenVisibility);
  f->setDSOLocal(true);
  f->setDoesNotThrow();
  f->setComdat(module.getOrInsertComdat(f->getName()));
  auto* hook = declare_register(module);
  auto* entry = llvm::BasicBlock::Create(context, "entry", f);
  auto* present = llvm::BasicBlock::Create(context, "present", f);
  auto* done = llvm::BasicBlock::Create(context, "done", f);
  llvm::IRBuilder<> builder(entry);
  builder.CreateCondBr(builder.CreateIsNotNull(hook), present, done);
  builder.SetInsertPoint(present);
  builder.CreateCall(hook, {active, section_bound(module, "__start_" HEDDLE_SITE_SECTION),
                            section_bound(module, "__stop_" HEDDLE_SITE_SECTION)});
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
  // The associated data puts the entry into the function's comdat: one entry per linked module survives.
  llvm::appendToGlobalCtors(module, f, /*Priority=*/0, f);
}

}  // namespace heddle
