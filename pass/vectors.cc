// Masked vector accesses, which the vectoriser makes before us with -fheddle-late. One range hook per lane, whose
// length is 0 where the mask is off: exact, and without new blocks.
//
//   before:  llvm.masked.load(<4 x i32>* %p, <4 x i1> %m)
//   after:   __heddle_read_range(%p + 4*i, %m[i] ? 4 : 0, @site) for each i
#include "pass/instrument.h"

namespace heddle {
namespace {

struct Shape {
  bool write, lanes_have_pointers;
  unsigned pointer, mask;
  llvm::Type* type;
};

bool classify(llvm::IntrinsicInst& call, Shape& out) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::masked_load: out = {false, false, 0, 2, call.getType()}; return true;
    case llvm::Intrinsic::masked_gather: out = {false, true, 0, 2, call.getType()}; return true;
    case llvm::Intrinsic::masked_store: out = {true, false, 1, 3, call.getArgOperand(0)->getType()}; return true;
    case llvm::Intrinsic::masked_scatter: out = {true, true, 1, 3, call.getArgOperand(0)->getType()}; return true;
    default: return false;
  }
}

}  // namespace

bool hook_vector(Work& work, llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  Shape shape;
  if (!call || !classify(*call, shape)) return false;
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shape.type);
  if (!vector) {
    ++work.stats.unhandled;
    return true;
  }
  auto size = work.layout().getTypeStoreSize(vector->getElementType()).getFixedValue();
  auto* pointer = call->getArgOperand(shape.pointer);
  BuilderBefore builder(instruction);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    auto* address = shape.lanes_have_pointers ? builder.CreateExtractElement(pointer, lane)
                                              : builder.CreateConstGEP1_64(vector->getElementType(), pointer, lane);
    auto* enabled = builder.CreateExtractElement(call->getArgOperand(shape.mask), lane);
    auto* length = builder.CreateSelect(enabled, builder.getInt64(size), builder.getInt64(0));
    emit_range(work, instruction, shape.write, address, length, 0);
  }
  return true;
}

}  // namespace heddle
