#include "pass/describe.h"

#include "pass/expression.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace heddle {
namespace {

constexpr int kMaxSteps = 24;

Expression place_of(const llvm::Value* pointer, const llvm::DataLayout& layout, int steps);

Expression of_variable(const llvm::DILocalVariable* variable, const llvm::DIExpression* location) {
  bool behind_pointer = location && location->startsWithDeref();
  return {variable->getName().str(), variable->getType(), false, behind_pointer};
}

Expression of_local(const llvm::Value* local) {
  auto* value = const_cast<llvm::Value*>(local);
  for (const auto* record : llvm::findDVRDeclares(value))
    return of_variable(record->getVariable(), record->getExpression());
  for (const auto* declare : llvm::findDbgDeclares(value))
    return of_variable(declare->getVariable(), declare->getExpression());
  // From -O1 on, clang tracks assignments instead of declaring an address.
  if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(value)) {
    for (const auto* record : llvm::at::getDVRAssignmentMarkers(alloca))
      return of_variable(record->getVariable(), nullptr);
    for (const auto* marker : llvm::at::getAssignmentMarkers(alloca))
      return of_variable(marker->getVariable(), nullptr);
  }
  return {local->getName().str()};
}

Expression of_global(const llvm::GlobalValue* global) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> infos;
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(global)) variable->getDebugInfo(infos);
  for (const auto* info : infos)
    if (const auto* variable = info->getVariable()) return {variable->getName().str(), variable->getType()};
  return {llvm::demangle(global->getName().str())};
}

// The result of a call: operators of containers and iterators read as what they mean.
Expression of_call(const llvm::CallBase& call, const llvm::DataLayout& layout, int steps) {
  const auto* callee = call.getCalledFunction();
  const auto* subprogram = callee ? callee->getSubprogram() : nullptr;
  if (!subprogram) return {};
  auto name = subprogram->getName();
  if (call.arg_size() > 0 && (name == "operator[]" || name == "at")) {
    auto container = place_of(call.getArgOperand(0), layout, steps - 1);
    if (container.known()) return {(container.through_pointer ? "(*" + container.text + ")" : container.text) + "[]"};
  }
  if (call.arg_size() > 0 && (name == "operator*" || name == "operator->")) {
    auto iterator = place_of(call.getArgOperand(0), layout, steps - 1);
    if (iterator.known()) return {iterator.str(), nullptr, true};
  }
  return {name.str() + "()"};
}

Expression of_gep(const llvm::GEPOperator& gep, const llvm::DataLayout& layout, int steps) {
  auto base = place_of(gep.getPointerOperand(), layout, steps - 1);
  if (!base.known()) return {};
  llvm::APInt offset(layout.getIndexTypeSizeInBits(gep.getType()), 0);
  if (!gep.accumulateConstantOffset(layout, offset)) {
    // A pointer to an array decays before it is indexed.
    return base.indexed();
  }
  if (offset.isNegative()) return base.indexed();
  if (offset != 0) return base.at(offset.getZExtValue());
  bool enters_struct = gep.getSourceElementType()->isStructTy() && gep.getNumIndices() > 1;
  if (!enters_struct) return base;
  auto* first = llvm::cast<llvm::StructType>(gep.getSourceElementType());
  return first->getNumElements() ? base.narrowed(layout.getTypeStoreSize(first->getElementType(0)).getKnownMinValue())
                                 : base;
}

Expression place_of(const llvm::Value* pointer, const llvm::DataLayout& layout, int steps) {
  if (steps == 0) return {};
  if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(pointer)) return of_global(global);
  if (llvm::isa<llvm::AllocaInst, llvm::Argument>(pointer)) return of_local(pointer);
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) return of_gep(*gep, layout, steps);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer))
    return place_of(load->getPointerOperand(), layout, steps - 1).loaded();
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(pointer);
      intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address)
    return place_of(intrinsic->getArgOperand(0), layout, steps - 1);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(pointer)) return of_call(*call, layout, steps);
  const auto* stripped = pointer->stripPointerCasts();
  return stripped == pointer ? Expression{} : place_of(stripped, layout, steps - 1);
}

}  // namespace

std::string describe(const llvm::Value* pointer, uint64_t size, const llvm::DataLayout& layout) {
  auto place = place_of(pointer, layout, kMaxSteps);
  return place.narrowed(size).str();
}

}  // namespace heddle
