#include "pass/module_ctor.h"

#include "abi/light.h"
#include "abi/record_hooks.h"
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

// A variable that the linked module has once.
llvm::GlobalVariable* declare_once(llvm::Module& module, llvm::Type* type, const char* name) {
  auto* variable = new llvm::GlobalVariable(module, type, false, GlobalValue::LinkOnceODRLinkage,
                                            llvm::ConstantInt::get(type, 0), name);
  variable->setVisibility(GlobalValue::HiddenVisibility);
  variable->setDSOLocal(true);
  variable->setAlignment(llvm::Align(module.getDataLayout().getABITypeAlign(type)));
  variable->setComdat(module.getOrInsertComdat(variable->getName()));
  // Else GlobalOpt would run the program's constructors at compile time with the value 0.
  variable->setExternallyInitialized(true);
  return variable;
}

constexpr const char* kActive = "__heddle_active";

}  // namespace

llvm::GlobalVariable* declare_active(llvm::Module& module) {
  return declare_once(module, llvm::Type::getInt32Ty(module.getContext()), kActive);
}
llvm::GlobalVariable* find_active(llvm::Module& module) { return module.getNamedGlobal(kActive); }

llvm::GlobalVariable* declare_record(llvm::Module& module) {
  constexpr const char* kRecord = "__heddle_hot_offset";
  if (auto* found = module.getNamedGlobal(kRecord)) return found;
  return declare_once(module, llvm::Type::getInt64Ty(module.getContext()), kRecord);
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
  // The last one may start the run.
  call_if_present(builder, declare_register(module, "__heddle_register_record", 1), {declare_record(module)});
  call_if_present(builder, declare_register(module, "__heddle_register_record_sites", 2),
                  {section_bound(module, "__start_" HEDDLE_RECORD_SITE_SECTION),
                   section_bound(module, "__stop_" HEDDLE_RECORD_SITE_SECTION)});
  call_if_present(
      builder, declare_register(module, "__heddle_register_lights", 2),
      {section_bound(module, "__start_" HEDDLE_LIGHT_SECTION), section_bound(module, "__stop_" HEDDLE_LIGHT_SECTION)});
  call_if_present(builder, declare_register(module, "__heddle_register_module", 3),
                  {active, section_bound(module, "__start_" HEDDLE_SITE_SECTION),
                   section_bound(module, "__stop_" HEDDLE_SITE_SECTION)});
  builder.CreateRetVoid();
  // The associated data puts the entry into the function's comdat: one entry per linked module survives.
  llvm::appendToGlobalCtors(module, f, /*Priority=*/0, f);
}

}  // namespace heddle
