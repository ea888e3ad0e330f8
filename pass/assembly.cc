// Inline assembly with operands in memory: what it does to them is not known, so a recording takes that memory over
// first.
//
//   before:  asm("incq $0", "=*m,*m")(%p, %p)     after:  __heddle_will_write(%p, 8, @site)
//                                                         asm("incq $0", "=*m,*m")(%p, %p)
//
// Not told to the detector: assembly is how programs write atomic operations of their own.
#include "abi/events.h"
#include "pass/instrument.h"
#include "llvm/IR/InlineAsm.h"

namespace heddle {

bool hook_assembly(Work& work, llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const auto* code = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  if (!code) return false;
  unsigned argument = 0;
  llvm::Value* last = nullptr;  // "+m" is an output and an input
  for (const auto& constraint : code->ParseConstraints()) {
    if (constraint.Type == llvm::InlineAsm::isClobber ||
        (constraint.Type == llvm::InlineAsm::isOutput && !constraint.isIndirect))
      continue;
    const unsigned number = argument++;
    auto* type = constraint.isIndirect && number < call->arg_size() ? call->getParamElementType(number) : nullptr;
    if (!type || !type->isSized()) continue;
    auto* pointer = call->getArgOperand(number);
    if (pointer == last || work.privacy.covers(pointer)) continue;
    last = pointer;
    BuilderBefore before(*call);
    auto* bytes = before.getInt64(work.layout().getTypeStoreSize(type).getFixedValue());
    SiteKey key{static_cast<uint8_t>(HEDDLE_EV_WRITE_RANGE), 0, 0, {}};
    work.hooks.call(before, "__heddle_will_write", {pointer, bytes, work.site(*call, key, pointer)});
  }
  return true;
}

}  // namespace heddle
