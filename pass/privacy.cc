#include "pass/privacy.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle {
namespace {

constexpr unsigned kMaxUses = 2000;

bool stays_here(const llvm::Value* object) {
  return !llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true, kMaxUses);
}

// Counters of profiling and coverage, placed by other passes before us (with -fheddle-late).
bool is_counter(llvm::StringRef name) {
  return name.starts_with("__profc_") || name.starts_with("__profd_") || name.starts_with("__llvm_gcov") ||
         name.starts_with("__sancov");
}

}  // namespace

Privacy::Privacy(llvm::Function& f) {
  for (auto& instruction : llvm::instructions(f))
    if (llvm::isa<llvm::AllocaInst>(instruction) && stays_here(&instruction)) objects_.insert(&instruction);
  for (auto& argument : f.args())  // byval: the callee's own copy
    if (argument.hasByValAttr() && stays_here(&argument)) objects_.insert(&argument);
}

bool Privacy::is_private(const llvm::Value* object) const {
  if (objects_.contains(object)) return true;
  if (llvm::isa<llvm::ConstantPointerNull>(object)) return false;  // will fault: let the site be seen
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return global &&
         (global->isConstant() || is_counter(global->getName()) || global->getName().starts_with("__heddle_"));
}

bool Privacy::covers(const llvm::Value* pointer) const {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return !objects.empty() && llvm::all_of(objects, [this](const auto* object) { return is_private(object); });
}

}  // namespace heddle
