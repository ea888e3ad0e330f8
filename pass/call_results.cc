// With -fheddle-calls: results of calls of functions that may have no hooks: what they computed is in no event, and
// whoever walks the bitcode along a trace needs it (docs/trace-format.md).
//
//   before:  %r = call i32 @f(...)       after:  %r = call i32 @f(...)
//                                                if (__heddle_active & HEDDLE_ACTIVE_CALLS)
//                                                  __heddle_call_result(zext(%r), @site)
//
// Integers, pointers and floating-point numbers of at most 64 bits; an invoke has its hook whatever it returns, since
// that it came back says where it went. A function that has clones has no such hook: its
// instructions are in the trace. A pointer may lead to either.
#include "abi/events.h"
#include "abi/hooks.h"
#include "pass/instrument.h"
#include "pass/light.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle {
namespace {

// Not by default: a hook that nobody asks for still moves the code behind it, call sites of primitives are known by
// their distance from main(), and with other sites the same seed is another hunt.
llvm::cl::opt<bool> calls_option("heddle-calls",
                                 llvm::cl::desc("hooks for results of calls of functions without hooks"));

constexpr unsigned kMostBits = 64;

// The bits of its result; 0: it is no number, or too large.
unsigned bits_of_result(const llvm::CallBase& call, const llvm::DataLayout& layout) {
  auto* type = call.getType();
  const bool is_number = type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy() ||
                         (type->isPointerTy() && type->getPointerAddressSpace() == 0);
  const auto bits = is_number ? layout.getTypeSizeInBits(type).getFixedValue() : 0;
  return bits <= kMostBits ? static_cast<unsigned>(bits) : 0;
}

// The optimiser may make a jump of such a call: with a hook behind it, a loop that is written as calls would need a
// frame for each turn.
bool is_last_of_function(const llvm::CallBase& call) {
  const auto* next = call.isTerminator() ? nullptr : call.getNextNonDebugInstruction();
  return next && llvm::isa<llvm::ReturnInst>(next);
}

bool has_unknown_result(const llvm::CallBase& call, const llvm::DataLayout& layout) {
  if (!bits_of_result(call, layout) && !llvm::isa<llvm::InvokeInst>(call)) return false;
  if (call.isMustTailCall() || call.doesNotReturn() || call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
      llvm::isa<llvm::CallBrInst>(call))
    return false;
  const auto* callee = call.getCalledFunction();
  if (!callee) return !call.isInlineAsm() && !is_last_of_function(call);
  return !callee->isIntrinsic() && !callee->getName().ends_with(".heddle");
}

// Behind the call, and behind __heddle_call_in() if that is there: a recording has its thread back first.
llvm::Instruction* place_of_hook(llvm::CallBase& call) {
  auto* next = behind(call);
  const auto* hook = llvm::dyn_cast_or_null<llvm::CallInst>(next);
  const auto* callee = hook ? hook->getCalledFunction() : nullptr;
  return callee && callee->getName() == "__heddle_call_in" ? next->getNextNode() : next;
}

}  // namespace

std::vector<llvm::WeakTrackingVH> calls_with_unknown_results(llvm::Function& f) {
  std::vector<llvm::WeakTrackingVH> out;
  if (!calls_option) return out;
  for (auto& instruction : llvm::instructions(f))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call && has_unknown_result(*call, f.getParent()->getDataLayout()))
      out.emplace_back(call);
  return out;
}

void hook_call_results(Work& work, const std::vector<llvm::WeakTrackingVH>& calls) {
  for (const auto& handle : calls) {
    auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(static_cast<llvm::Value*>(handle));
    auto* next = call ? place_of_hook(*call) : nullptr;
    if (!next) continue;
    const unsigned bits = bits_of_result(*call, work.layout());
    auto* site = work.site(*call, {HEDDLE_EV_CALL, static_cast<uint8_t>((bits + 7) / 8), 0, {}}, nullptr);
    ++work.stats.call_results;
    auto& context = call->getContext();
    BuilderBefore builder(*next);
    auto* active = builder.CreateLoad(builder.getInt32Ty(), work.active, /*isVolatile=*/true);
    active->setMetadata(kOnRequest, llvm::MDNode::get(context, {}));
    auto* wanted = builder.CreateIsNotNull(builder.CreateAnd(active, HEDDLE_ACTIVE_CALLS));
    auto* then = llvm::SplitBlockAndInsertIfThen(wanted, next->getIterator(), /*Unreachable=*/false,
                                                 llvm::MDBuilder(context).createBranchWeights(1, 1000));
    BuilderBefore hooked(*then);
    llvm::Value* value = bits ? static_cast<llvm::Value*>(call) : hooked.getInt64(0);
    if (value->getType()->isFloatingPointTy()) value = hooked.CreateBitCast(value, hooked.getIntNTy(bits));
    value = value->getType()->isPointerTy() ? hooked.CreatePtrToInt(value, hooked.getInt64Ty())
                                            : hooked.CreateZExt(value, hooked.getInt64Ty());
    auto* hook = work.hooks.call(hooked, "__heddle_call_result", {value, site});
    hook->setMetadata(kOnRequest, llvm::MDNode::get(context, {}));
  }
}

}  // namespace heddle
