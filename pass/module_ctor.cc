#include "pass/module_ctor.h"

#include "abi/light.h"
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

llvm::Function* declare_register(llvm::Module& module, llvm::StringRef name, unsigned parameters) {
  llvm::SmallVector<llvm::Type*> pointers(parameters, llvm::PointerType::getUnqual(module.getContext()));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), pointers, false);
  auto* f = llvm::Function::Create(type, GlobalValue::ExternalWeakLinkage, name, module);
  f->setDoesNotThrow();
  return f;
}

void call_if_present(llvm::IRBuilder<>& builder, llvm::Function* hook, llvm::ArrayRef<llvm::Value*> arguments) {
  auto* f = builder.GetInsertBlock()->getParent();
  auto* present = llvm::BasicBlock::Create(builder.getContext(), "present", f);
  auto* done = llvm::BasicBlock::Create(builder.getContext(), "done", f);
  builder.CreateCondBr(builder.CreateIsNotNull(hook), present, done);
  builder.SetInsertPoint(present);
  builder.CreateCall(hook, arguments);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
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
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", f));
  // The lights first: the other call may start the run.
  call_if_present(builder, declare_register(module, "__heddle_register_lights", 2),
                  {section_bound(module, "__start_" HEDDLE_LIGHT_SECTION), section_bound(module, "__stop_" HEDDLE_LIGHT_SECTION)});
  call_if_present(builder, declare_register(module, "__heddle_register_module", 3),
                  {active, section_bound(module, "__start_" HEDDLE_SITE_SECTION), section_bound(module, "__stop_" HEDDLE_SITE_SECTION)});
  builder.CreateRetVoid();
  // The associated data puts the entry into the function's comdat: one entry per linked module survives.
  llvm::appendToGlobalCtors(module, f, /*Priority=*/0, f);
}

}  // namespace heddle
