#include "pass/hooks.h"

#include "llvm/IR/DebugInfoMetadata.h"

namespace heddle {
namespace {

void set_location(llvm::IRBuilder<>& builder, const llvm::Instruction& like) {
  if (auto location = like.getDebugLoc()) return builder.SetCurrentDebugLocation(location);
  if (auto* subprogram = like.getFunction()->getSubprogram())
    builder.SetCurrentDebugLocation(llvm::DILocation::get(like.getContext(), 0, 0, subprogram));
}

}  // namespace

Hooks::Hooks(llvm::Module& module) : module_(module) {}

llvm::FunctionCallee Hooks::get(llvm::StringRef name, llvm::ArrayRef<llvm::Type*> parameters, llvm::Type* result) {
  if (!result) result = llvm::Type::getVoidTy(module_.getContext());
  auto* type = llvm::FunctionType::get(result, parameters, false);
  auto* f = module_.getFunction(name);
  if (!f) {
    f = llvm::Function::Create(type, llvm::GlobalValue::ExternalWeakLinkage, name, module_);
    f->setDoesNotThrow();
  }
  return {type, f};
}

llvm::CallInst* Hooks::call(llvm::IRBuilder<>& builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments,
                            llvm::Type* result) {
  llvm::SmallVector<llvm::Type*> types;
  for (auto* argument : arguments) types.push_back(argument->getType());
  return builder.CreateCall(get(name, types, result), arguments);
}

BuilderBefore::BuilderBefore(llvm::Instruction& at) : IRBuilder(&at) { set_location(*this, at); }

BuilderAfter::BuilderAfter(llvm::Instruction& at) : IRBuilder(at.getParent(), std::next(at.getIterator())) {
  set_location(*this, at);
}

}  // namespace heddle
