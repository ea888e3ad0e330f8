#include "pass/clone_body.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle {
namespace {

// Decides which metadata is shared: everything that hangs on the function's own scopes, but is none of them. What is not
// marked here and is distinct gets copied by the mapper: the subprogram, its blocks, loop ids, assignment ids.
class Sharing {
 public:
  Sharing(const llvm::DISubprogram* own, llvm::ValueToValueMapTy& values) : own_(own), values_(values) {}

  void subprogram() {
    if (!own_) return;
    for (const auto& operand : own_->operands())
      if (operand && operand != own_->getRetainedNodes().get()) share(operand);
    for (const auto* node : own_->getRetainedNodes()) {
      if (const auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(node))
        this->variable(variable);
      else if (const auto* import = llvm::dyn_cast<llvm::DIImportedEntity>(node))
        share(import->getRawEntity());
      else if (!llvm::isa<llvm::DILabel>(node))
        share(node);
    }
  }

  void variable(const llvm::DILocalVariable* variable) {
    share(variable->getRawType());
    share(variable->getRawAnnotations());
    scope(variable->getScope());
  }

  // Scopes of functions that were inlined here (-fheddle-late) stay theirs.
  void scope(const llvm::DILocalScope* scope) {
    while (scope && scope->getSubprogram() != own_) {
      share(scope);
      if (llvm::isa<llvm::DISubprogram>(scope)) return;
      scope = llvm::dyn_cast_or_null<llvm::DILocalScope>(scope->getScope());
    }
  }

  void location(const llvm::DILocation* location) {
    for (; location; location = location->getInlinedAt()) scope(location->getScope());
  }

  void instruction(const llvm::Instruction& instruction) {
    location(instruction.getDebugLoc().get());
    if (const auto* intrinsic = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&instruction)) variable(intrinsic->getVariable());
    for (auto& record : instruction.getDbgRecordRange()) {
      location(record.getDebugLoc().get());
      if (const auto* bound = llvm::dyn_cast<llvm::DbgVariableRecord>(&record)) variable(bound->getVariable());
      if (const auto* label = llvm::dyn_cast<llvm::DbgLabelRecord>(&record)) scope(label->getLabel()->getScope());
    }
    if (!instruction.hasMetadataOtherThanDebugLoc()) return;
    share(instruction.getMetadata("heapallocsite"));
    if (const auto* loop = instruction.getMetadata(llvm::LLVMContext::MD_loop))
      for (const auto& operand : loop->operands()) location(llvm::dyn_cast_or_null<llvm::DILocation>(operand.get()));
  }

 private:
  void share(const llvm::Metadata* node) {
    if (!node) return;
    auto& mapped = values_.MD()[node];
    if (!mapped) mapped.reset(const_cast<llvm::Metadata*>(node));
  }

  const llvm::DISubprogram* own_;
  llvm::ValueToValueMapTy& values_;
};

}  // namespace

llvm::Function* clone_body(llvm::Function& f, const llvm::Twine& name) {
  auto& module = *f.getParent();
  auto* copy = llvm::Function::Create(f.getFunctionType(), f.getLinkage(), f.getAddressSpace(), name, &module);
  copy->copyAttributesFrom(&f);
  llvm::ValueToValueMapTy values;
  for (auto [from, to] : llvm::zip(f.args(), copy->args())) {
    to.setName(from.getName());
    values[&from] = &to;
  }
  Sharing sharing(f.getSubprogram(), values);
  sharing.subprogram();
  for (auto& instruction : llvm::instructions(f)) sharing.instruction(instruction);
  for (auto& block : f) {
    auto* block_copy = llvm::CloneBasicBlock(&block, values, "", copy);
    values[&block] = block_copy;
  }
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> attachments;
  f.getAllMetadata(attachments);
  for (auto [kind, node] : attachments) copy->addMetadata(kind, *llvm::MapMetadata(node, values));
  for (auto& instruction : llvm::instructions(*copy)) {
    llvm::RemapInstruction(&instruction, values);
    llvm::RemapDbgRecordRange(&module, instruction.getDbgRecordRange(), values);
  }
  return copy;
}

}  // namespace heddle
