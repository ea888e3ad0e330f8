// Instructions whose result comes from outside the program: the hook's value takes their place.
//
//   before:  %t = call i64 @llvm.x86.rdtsc()               after:  %t = call i64 @__heddle_rdtsc(ptr @site)
//   before:  %r = call {i32, i32} @llvm.x86.rdrand.32()    after:  %r = {trunc(__heddle_rdrand(@site)), 1}
#include "abi/events.h"
#include "pass/instrument.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace heddle {
namespace {

enum class Source { kNone, kClock, kRandom };

Source source_of(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::readcyclecounter:
    case llvm::Intrinsic::readsteadycounter:
    case llvm::Intrinsic::x86_rdtsc:
    case llvm::Intrinsic::x86_rdtscp: return Source::kClock;
    case llvm::Intrinsic::x86_rdrand_16:
    case llvm::Intrinsic::x86_rdrand_32:
    case llvm::Intrinsic::x86_rdrand_64:
    case llvm::Intrinsic::x86_rdseed_16:
    case llvm::Intrinsic::x86_rdseed_32:
    case llvm::Intrinsic::x86_rdseed_64: return Source::kRandom;
    default: return Source::kNone;
  }
}

}  // namespace

bool hook_outside(Work& work, llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  auto source = call ? source_of(call->getIntrinsicID()) : Source::kNone;
  if (source == Source::kNone) return false;
  ++work.stats.outside;
  BuilderBefore builder(instruction);
  auto* site = work.site(instruction, {HEDDLE_EV_INPUT, 0, 0, {}}, nullptr);
  llvm::Value* value = work.hooks.call(builder, source == Source::kClock ? "__heddle_rdtsc" : "__heddle_rdrand", {site},
                                       builder.getInt64Ty());
  if (auto* pair = llvm::dyn_cast<llvm::StructType>(call->getType())) {
    // rdtscp: {time, processor 0}; rdrand, rdseed: {bits, success 1}.
    auto* second = llvm::ConstantInt::get(pair->getElementType(1), source == Source::kRandom ? 1 : 0);
    auto* first = builder.CreateZExtOrTrunc(value, pair->getElementType(0));
    value = builder.CreateInsertValue(llvm::PoisonValue::get(pair), first, 0);
    value = builder.CreateInsertValue(value, second, 1);
  }
  call->replaceAllUsesWith(value);
  work.ordinals.forget(*call);
  call->eraseFromParent();
  return true;
}

}  // namespace heddle
