#include "pass/dispatcher.h"

#include "abi/hooks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle {
namespace {

// Not inlined: the hooked body would lose its frame pointer, either body would give the other a stack frame to set up,
// and sanitizers would put code between the tail call and the return.
void forward(llvm::Function& f, llvm::Function& target, llvm::BasicBlock* block, bool always_in_place) {
  llvm::IRBuilder<> builder(block);
  llvm::SmallVector<llvm::Value*> arguments;
  for (auto& argument : f.args()) arguments.push_back(&argument);
  auto* call = builder.CreateCall(f.getFunctionType(), &target, arguments);
  // Without arguments nothing has to be forwarded in place; and AddressSanitizer puts a call before the return of each
  // global constructor, which musttail does not survive.
  call->setTailCallKind(f.arg_empty() && !always_in_place ? llvm::CallInst::TCK_Tail : llvm::CallInst::TCK_MustTail);
  call->setCallingConv(f.getCallingConv());
  call->setAttributes(f.getAttributes().removeFnAttributes(f.getContext()));
  call->addFnAttr(llvm::Attribute::NoInline);
  if (f.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

// Where LLVM 19 breaks musttail on x86-64: byval arguments are copied through the caller's return address, and dead
// argument elimination drops the "..." of a callee under its musttail caller. Two jumps forward everything without
// touching it.
bool needs_jumps(const llvm::Function& f) {
  return f.isVarArg() || llvm::any_of(f.args(), [](const llvm::Argument& argument) { return argument.hasByValAttr(); });
}

void write_jumps(llvm::Function& f, llvm::Function& plain, llvm::Function& hooked, llvm::GlobalVariable* active) {
  auto& context = f.getContext();
  f.addFnAttr(llvm::Attribute::Naked);
  f.addFnAttr(llvm::Attribute::NoInline);
  f.removeFnAttr(llvm::Attribute::AlwaysInline);
  f.removeFnAttr(llvm::Attribute::InlineHint);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", &f));
  auto* pointer = builder.getPtrTy();
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer}, false);
  auto* jumps =
      llvm::InlineAsm::get(type, "cmpl $$0, $0\n\tjne ${1:P}\n\tjmp ${2:P}", "*m,s,s,~{dirflag},~{fpsr},~{flags}",
                           /*hasSideEffects=*/true);
  auto* call = builder.CreateCall(type, jumps, {active, &hooked, &plain});
  call->addParamAttr(0, llvm::Attribute::get(context, llvm::Attribute::ElementType, builder.getInt32Ty()));
  builder.CreateUnreachable();
}

// `set`, if the first word of `flag` is not 0. `constant`: it does not change while code runs that may ask.
void write_choice(llvm::Function& f, llvm::Function& unset, llvm::Function& set, llvm::GlobalVariable* flag,
                  bool constant) {
  auto& context = f.getContext();
  for (auto kind :
       {llvm::Attribute::PresplitCoroutine, llvm::Attribute::SanitizeAddress, llvm::Attribute::SanitizeHWAddress,
        llvm::Attribute::SanitizeMemory, llvm::Attribute::SanitizeThread, llvm::Attribute::SanitizeMemTag})
    f.removeFnAttr(kind);  // they speak about bodies, and this one is only a jump
  if (needs_jumps(f)) return write_jumps(f, unset, set, flag);
  auto* entry = llvm::BasicBlock::Create(context, "entry", &f);
  auto* to_plain = llvm::BasicBlock::Create(context, "plain", &f);
  auto* to_hooked = llvm::BasicBlock::Create(context, "heddle", &f);
  llvm::IRBuilder<> builder(entry);
  auto* value = builder.CreateLoad(builder.getInt32Ty(), flag);
  if (constant) value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
  auto* weights = llvm::MDBuilder(context).createBranchWeights(1, 1000);
  builder.CreateCondBr(builder.CreateIsNotNull(value), to_hooked, to_plain, weights);
  forward(f, unset, to_plain, !constant);
  forward(f, set, to_hooked, !constant);
}

}  // namespace

// `active` is set once, by the module's first constructor.
void write_dispatcher(llvm::Function& f, llvm::Function& plain, llvm::Function& hooked, llvm::GlobalVariable* active) {
  write_choice(f, plain, hooked, active, true);
}

void write_selector(llvm::Function& f, llvm::Function& hooked, llvm::Function& light, llvm::GlobalVariable* record) {
  write_choice(f, hooked, light, record, false);
}

namespace {

// cmpl $0, active; jne hooked; jmp plain   ->   the same, with a way to `record` in front of it
void jump_to_record(llvm::CallBase& old, llvm::Function& record) {
  llvm::IRBuilder<> builder(&old);
  auto* pointer = builder.getPtrTy();
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false);
  const std::string code = "testl $$" + std::to_string(unsigned{HEDDLE_ACTIVE_RECORD}) + ", $0\n\tjne ${1:P}";
  auto* jump = llvm::InlineAsm::get(type, code, "*m,s,~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
  auto* call = builder.CreateCall(type, jump, {old.getArgOperand(0), &record});
  call->addParamAttr(0, llvm::Attribute::get(old.getContext(), llvm::Attribute::ElementType, builder.getInt32Ty()));
}

// The call that is not of `plain` in a dispatcher, if its block does nothing else but return what comes of it.
llvm::CallInst* forwarding_call(llvm::Function& f, const llvm::Function& plain) {
  for (auto& instruction : llvm::instructions(f)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getCalledFunction() || call->getCalledFunction()->isIntrinsic() ||
        call->getCalledFunction() == &plain)
      continue;
    auto* back = llvm::dyn_cast<llvm::ReturnInst>(call->getNextNonDebugInstruction());
    return back && (!back->getReturnValue() || back->getReturnValue() == call) ? call : nullptr;
  }
  return nullptr;
}

}  // namespace

void dispatch_recordings(llvm::Function& f, const llvm::Function& plain, llvm::Function& record,
                         llvm::GlobalVariable* active) {
  if (f.getFunctionType() != record.getFunctionType()) return;
  if (f.hasFnAttribute(llvm::Attribute::Naked)) {
    for (auto& instruction : llvm::instructions(f))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && call->isInlineAsm())
        return jump_to_record(*call, record);
    return;
  }
  auto* call = forwarding_call(f, plain);
  if (!call) return;
  auto* block = call->getParent();
  auto* to_hooked = block->splitBasicBlock(call, "hooks");
  auto* to_record = llvm::BasicBlock::Create(f.getContext(), "record", &f, to_hooked);
  block->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(block);
  auto* value = builder.CreateLoad(builder.getInt32Ty(), active);
  builder.CreateCondBr(builder.CreateIsNotNull(builder.CreateAnd(value, unsigned{HEDDLE_ACTIVE_RECORD})), to_record,
                       to_hooked);
  forward(f, record, to_record, false);
}

}  // namespace heddle
