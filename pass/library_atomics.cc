// Atomic objects that no instruction can handle (more than 16 bytes): clang calls libatomic.
//
//   before:  __atomic_load(24, %p, %result, order)
//   after:   __heddle_atomic(%p, 24, ATOMIC_LOAD, order, order, @site)  __atomic_load(...)
//            __heddle_atomic_done(%p, load i64 %result, 1, @site)
#include "abi/events.h"
#include "pass/instrument.h"

namespace heddle {
namespace {

// Arguments: size, object, then by function. `value` is the one that points to what hooks.h wants after the operation:
// the value before it, or the stored one. (A successful cas leaves the old value in `expected`, a failed one puts it
// there.)
struct Shape {
  const char* name;
  uint8_t kind;
  unsigned value, order, failure_order;
};
constexpr Shape kShapes[] = {
    {"__atomic_load", HEDDLE_EV_ATOMIC_LOAD, 2, 3, 3},
    {"__atomic_store", HEDDLE_EV_ATOMIC_STORE, 2, 3, 3},
    {"__atomic_exchange", HEDDLE_EV_ATOMIC_RMW, 3, 4, 4},
    {"__atomic_compare_exchange", HEDDLE_EV_ATOMIC_CAS, 2, 4, 5},
};

const Shape* shape_of(const llvm::CallInst& call) {
  const auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return nullptr;
  for (const auto& shape : kShapes)
    if (callee->getName() == shape.name && call.arg_size() == shape.failure_order + 1) return &shape;
  return nullptr;
}

}  // namespace

bool hook_library_atomic(Work& work, llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const auto* shape = call ? shape_of(*call) : nullptr;
  auto* size = shape ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0)) : nullptr;
  if (!size || size->getZExtValue() < 8) return false;
  auto* object = call->getArgOperand(1);
  if (work.privacy.covers(object)) {
    ++work.stats.atomics_skipped;
    return true;
  }
  ++work.stats.atomics;
  // The site's size field is a byte; the hook gets the whole size.
  auto bytes = static_cast<uint8_t>(size->getZExtValue());
  auto* site = work.site(instruction, {shape->kind, bytes, 0, {}}, object);
  BuilderBefore before(instruction);
  work.hooks.call(before, "__heddle_atomic",
                  {object, before.CreateZExtOrTrunc(size, before.getInt32Ty()), before.getInt32(shape->kind),
                   call->getArgOperand(shape->order), call->getArgOperand(shape->failure_order), site});
  BuilderAfter after(instruction);
  auto* value = after.CreateAlignedLoad(after.getInt64Ty(), call->getArgOperand(shape->value), llvm::Align(1));
  llvm::Value* success = after.getInt32(1);
  if (shape->kind == HEDDLE_EV_ATOMIC_CAS) success = after.CreateZExtOrTrunc(call, after.getInt32Ty());
  work.hooks.call(after, "__heddle_atomic_done", {object, value, success, site});
  return true;
}

}  // namespace heddle
