// Accesses to whole ranges: mem* intrinsics, byval arguments. (Calls of libc functions: library.cc.)
//
//   before:  memcpy(%d, %s, %n)      after:  __heddle_read_range(%s, %n, @site1)  __heddle_write_range(%d, %n, @site2)
//                                            memcpy(%d, %s, %n)
#include "abi/events.h"
#include "abi/site.h"
#include "pass/instrument.h"

namespace heddle {
void emit_range(Work& work, llvm::Instruction& at, bool write, llvm::Value* pointer, llvm::Value* length,
                uint32_t flags) {
  if (pointer->getType()->getPointerAddressSpace() != 0) return;
  if (work.privacy.covers(pointer)) {
    ++work.stats.ranges_skipped;
    return;
  }
  ++work.stats.ranges;
  SiteKey key{static_cast<uint8_t>(write ? HEDDLE_EV_WRITE_RANGE : HEDDLE_EV_READ_RANGE), 0, flags, {}};
  BuilderBefore builder(at);
  auto* hook =
      work.hooks.call(builder, write ? "__heddle_write_range" : "__heddle_read_range",
                      {pointer, builder.CreateZExtOrTrunc(length, builder.getInt64Ty()), work.site(at, key, pointer)});
  if (flags & HEDDLE_SITE_VOLATILE) keep(hook);
}

bool hook_range(Work& work, llvm::Instruction& instruction) {
  if (auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
    uint32_t flags = flag_if(memory->isVolatile(), HEDDLE_SITE_VOLATILE);
    if (auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(memory))
      emit_range(work, instruction, false, transfer->getRawSource(), memory->getLength(), flags);
    emit_range(work, instruction, true, memory->getRawDest(), memory->getLength(), flags);
    return true;
  }
  return false;
}

void hook_byval(Work& work, llvm::CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    auto* type = call.isByValArgument(i) ? call.getParamByValType(i) : nullptr;
    if (!type) continue;
    auto* length = llvm::ConstantInt::get(llvm::Type::getInt64Ty(call.getContext()),
                                          work.layout().getTypeAllocSize(type).getFixedValue());
    emit_range(work, call, false, call.getArgOperand(i), length, 0);
  }
}

}  // namespace heddle
