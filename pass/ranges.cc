// Accesses to whole ranges: mem* intrinsics, the libc functions of the same meaning, byval arguments.
//
//   before:  memcpy(%d, %s, %n)      after:  __heddle_read_range(%s, %n, @site1)  __heddle_write_range(%d, %n, @site2)
//                                            memcpy(%d, %s, %n)
#include "abi/events.h"
#include "abi/site.h"
#include "pass/instrument.h"

namespace heddle {
namespace {

// Where a libc function takes what it writes, reads and how much; -1: it does not.
struct Shape {
  const char* name;
  int written, read, length;
};
constexpr Shape kLibrary[] = {
    {"memcpy", 0, 1, 2},        {"memmove", 0, 1, 2},        {"mempcpy", 0, 1, 2},       {"memset", 0, -1, 2},
    {"__memcpy_chk", 0, 1, 2},  {"__memmove_chk", 0, 1, 2},  {"__mempcpy_chk", 0, 1, 2}, {"__memset_chk", 0, -1, 2},
    {"bzero", 0, -1, 1},        {"explicit_bzero", 0, -1, 1}, {"bcopy", 1, 0, 2},
};

const Shape* library_shape(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return nullptr;
  for (const auto& shape : kLibrary)
    if (callee->getName() == shape.name && static_cast<int>(call.arg_size()) > shape.length) return &shape;
  return nullptr;
}

bool hook_library(Work& work, llvm::CallBase& call) {
  const auto* shape = library_shape(call);
  if (!shape) return false;
  auto* length = call.getArgOperand(static_cast<unsigned>(shape->length));
  if (!length->getType()->isIntegerTy()) return true;  // another function of that name
  auto emit = [&](int argument, bool write) {
    if (argument < 0) return;
    auto* pointer = call.getArgOperand(static_cast<unsigned>(argument));
    if (pointer->getType()->isPointerTy()) emit_range(work, call, write, pointer, length, 0);
  };
  emit(shape->read, false);
  emit(shape->written, true);
  return true;
}

}  // namespace

void emit_range(Work& work, llvm::Instruction& at, bool write, llvm::Value* pointer, llvm::Value* length, uint32_t flags) {
  if (pointer->getType()->getPointerAddressSpace() != 0) return;
  if (work.privacy.covers(pointer)) {
    ++work.stats.ranges_skipped;
    return;
  }
  ++work.stats.ranges;
  SiteKey key{static_cast<uint8_t>(write ? HEDDLE_EV_WRITE_RANGE : HEDDLE_EV_READ_RANGE), 0, flags, {}};
  BuilderBefore builder(at);
  work.hooks.call(builder, write ? "__heddle_write_range" : "__heddle_read_range",
                  {pointer, builder.CreateZExtOrTrunc(length, builder.getInt64Ty()), work.site(at, key, pointer)});
}

bool hook_range(Work& work, llvm::Instruction& instruction) {
  if (auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
    uint32_t flags = flag_if(memory->isVolatile(), HEDDLE_SITE_VOLATILE);
    if (auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(memory))
      emit_range(work, instruction, false, transfer->getRawSource(), memory->getLength(), flags);
    emit_range(work, instruction, true, memory->getRawDest(), memory->getLength(), flags);
    return true;
  }
  auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && hook_library(work, *call);
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
