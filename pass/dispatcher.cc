#include "pass/dispatcher.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle {
namespace {

// musttail forwards everything, also sret, byval and the arguments behind "...".
llvm::CallInst* forward(llvm::Function& f, llvm::Function& target, llvm::BasicBlock* block) {
  llvm::IRBuilder<> builder(block);
  llvm::SmallVector<llvm::Value*> arguments;
  for (auto& argument : f.args()) arguments.push_back(&argument);
  auto* call = builder.CreateCall(f.getFunctionType(), &target, arguments);
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  call->setCallingConv(f.getCallingConv());
  auto attributes = f.getAttributes();
  call->setAttributes(attributes.removeFnAttributes(f.getContext()));
  if (f.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
  return call;
}

}  // namespace

void write_dispatcher(llvm::Function& f, llvm::Function& plain, llvm::Function& hooked, llvm::GlobalVariable* active) {
  auto& context = f.getContext();
  f.removeFnAttr(llvm::Attribute::PresplitCoroutine);
  auto* entry = llvm::BasicBlock::Create(context, "entry", &f);
  auto* to_plain = llvm::BasicBlock::Create(context, "plain", &f);
  auto* to_hooked = llvm::BasicBlock::Create(context, "heddle", &f);
  llvm::IRBuilder<> builder(entry);
  auto* value = builder.CreateLoad(builder.getInt32Ty(), active);
  // Set once, by the module's first constructor.
  value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
  auto* weights = llvm::MDBuilder(context).createBranchWeights(1, 1000);
  builder.CreateCondBr(builder.CreateIsNotNull(value), to_hooked, to_plain, weights);
  forward(f, plain, to_plain);
  // Inlined here, the hooked body would lose its frame pointer and spoil the plain path.
  forward(f, hooked, to_hooked)->addFnAttr(llvm::Attribute::NoInline);
}

}  // namespace heddle
