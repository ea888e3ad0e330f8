#include "pass/clone_body.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle {
namespace {

// Decides which metadata is shared: everything that hangs on the function's own scopes, but is none of them. What is
// not marked here and is distinct gets copied by the mapper: the subprogram, its blocks, loop ids, assignment ids.
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
    if (const auto* intrinsic = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&instruction))
      variable(intrinsic->getVariable());
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

// Jump tables of computed gotos: constants that hold addresses of blocks of `f`. The copy gets copies of them.
void clone_jump_tables(llvm::Function& f, llvm::ValueToValueMapTy& values) {
  llvm::SmallPtrSet<llvm::GlobalVariable*, 4> tables;
  for (auto& block : f) {
    auto* address = llvm::BlockAddress::lookup(&block);
    if (!address) continue;
    values[address] = llvm::BlockAddress::get(llvm::cast<llvm::BasicBlock>(values[&block]));
    for_each_holder(*address, [&](llvm::User* holder) {
      if (auto* table = llvm::dyn_cast<llvm::GlobalVariable>(holder)) tables.insert(table);
    });
  }
  for (auto* table : tables) {
    auto* copy = new llvm::GlobalVariable(*f.getParent(), table->getValueType(), table->isConstant(),
                                          table->getLinkage(), nullptr, table->getName());
    copy->copyAttributesFrom(table);
    copy->setInitializer(llvm::MapValue(table->getInitializer(), values));
    values[table] = copy;
  }
}

}  // namespace

void for_each_holder(llvm::Constant& constant, llvm::function_ref<void(llvm::User*)> visit) {
  llvm::SmallVector<llvm::User*> pending(constant.user_begin(), constant.user_end());
  llvm::SmallPtrSet<llvm::User*, 16> seen;
  while (!pending.empty()) {
    auto* user = pending.pop_back_val();
    if (!seen.insert(user).second) continue;
    if (llvm::isa<llvm::Constant>(user) && !llvm::isa<llvm::GlobalValue>(user))
      pending.append(user->user_begin(), user->user_end());
    else
      visit(user);
  }
}

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
  clone_jump_tables(f, values);
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
