#include "pass/wrappers.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace heddle {
namespace {

constexpr unsigned kMaxInstructions = 80;
constexpr int kMaxNesting = 4;  // wrappers of wrappers
constexpr int kMaxSteps = 16;

llvm::StringRef original(llvm::StringRef name) {
  for (llvm::StringRef suffix : {".heddle", ".plain"})
    if (name.consume_back(suffix)) break;
  return name;
}

bool starts_with_any(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

// The object is the first argument. Makers and destroyers are no places anybody waits at.
bool is_c_primitive(llvm::StringRef name) {
  if (name.ends_with("_init") || name.ends_with("_destroy") || name.contains("attr_")) return false;
  return starts_with_any(name, {"pthread_mutex_", "pthread_rwlock_", "pthread_spin_", "pthread_cond_",
                                "pthread_barrier_", "mtx_", "cnd_"}) ||
         name == "sem_wait" || name == "sem_post" || name == "sem_trywait" || name == "sem_timedwait" ||
         name == "sem_clockwait";
}

bool is_cpp_primitive(llvm::StringRef name) {
  return starts_with_any(name,
                         {"_ZNSt5mutex", "_ZNSt15recursive_mutex", "_ZNSt11timed_mutex", "_ZNSt21recursive_timed_mutex",
                          "_ZNSt12shared_mutex", "_ZNSt18shared_timed_mutex", "_ZNSt18condition_variable"}) &&
         !name.contains("C1E") && !name.contains("C2E") && !name.contains("D1E") && !name.contains("D2E");
}

// std::lock_guard<M>::lock_guard(M&) and its likes: behind `this`.
bool is_guard(llvm::StringRef name) {
  return starts_with_any(name,
                         {"_ZNSt10lock_guardI", "_ZNSt11unique_lockI", "_ZNSt11scoped_lockI", "_ZNSt11shared_lockI"}) &&
         (name.contains("C1ER") || name.contains("C2ER"));
}

// The argument that `value` was computed from, by loads and address computations only; null: none.
const llvm::Argument* root_argument(const llvm::Value* value, int steps = kMaxSteps) {
  if (steps == 0) return nullptr;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return argument;
  if (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(value))
    return root_argument(gep->getPointerOperand(), steps - 1);
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (!load) return nullptr;
  const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand());
  if (!slot) return root_argument(load->getPointerOperand(), steps - 1);
  const llvm::Value* stored = nullptr;
  for (const auto* user : slot->users())
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user); store && store->getPointerOperand() == slot) {
      if (stored) return nullptr;
      stored = store->getValueOperand();
    }
  return stored ? root_argument(stored, steps - 1) : nullptr;
}

bool does_not_return(const llvm::BasicBlock& block) { return llvm::isa<llvm::UnreachableInst>(block.getTerminator()); }

bool is_silent(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  if (llvm::isa<llvm::IntrinsicInst>(call) || call.doesNotAccessMemory()) return true;
  return callee && callee->getName() == "__errno_location";
}

// A function such as check(const char* what, int result) that does nothing unless it ends the program.
bool only_checks(const llvm::Function* f) {
  if (!f || f->isDeclaration() || f->getInstructionCount() > kMaxInstructions) return false;
  for (const auto& instruction : llvm::instructions(*f)) {
    if (does_not_return(*instruction.getParent())) continue;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && !is_silent(*call)) return false;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        store && !llvm::isa<llvm::AllocaInst>(store->getPointerOperand()))
      return false;
  }
  return true;
}

bool has_loop(const llvm::Function& f) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> backedges;
  llvm::FindFunctionBackedges(f, backedges);
  return !backedges.empty();
}

}  // namespace

std::optional<int> Wrappers::object_argument(llvm::StringRef name) const {
  if (is_c_primitive(name) || is_cpp_primitive(name)) return 0;
  if (is_guard(name)) return 1;
  const auto known = wrappers_.find(name);
  return known == wrappers_.end() ? std::nullopt : std::optional(known->second);
}

const llvm::Value* Wrappers::object_of(const llvm::CallBase& call) const {
  const auto* callee = call.getCalledFunction();
  const auto argument = callee ? object_argument(original(callee->getName())) : std::nullopt;
  return argument && *argument >= 0 && static_cast<unsigned>(*argument) < call.arg_size()
             ? call.getArgOperand(static_cast<unsigned>(*argument))
             : nullptr;
}

bool Wrappers::is_wrapper(const llvm::Function& f, int& argument) const {
  const llvm::CallBase* primitive = nullptr;
  int inner = -1, kept = -1;
  for (const auto& instruction : llvm::instructions(f)) {
    if (does_not_return(*instruction.getParent())) continue;
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      const auto* callee = call->getCalledFunction();
      if (is_silent(*call) || only_checks(callee)) continue;
      const auto object = callee ? object_argument(callee->getName()) : std::nullopt;
      if (!object || primitive) return false;
      primitive = call;
      inner = *object;
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (llvm::isa<llvm::AllocaInst>(store->getPointerOperand())) continue;
      const auto* value = root_argument(store->getValueOperand());
      if (!value || !value->getType()->isPointerTy() || !root_argument(store->getPointerOperand())) return false;
      kept = static_cast<int>(value->getArgNo());
    } else if (instruction.isAtomic()) {
      return false;
    }
  }
  if (!primitive || has_loop(f)) return false;
  argument = kept;
  if (kept < 0 && inner >= 0 && static_cast<unsigned>(inner) < primitive->arg_size())
    if (const auto* root = root_argument(primitive->getArgOperand(static_cast<unsigned>(inner))))
      argument = static_cast<int>(root->getArgNo());
  return true;
}

Wrappers::Wrappers(const llvm::Module& module) {
  for (int round = 0; round < kMaxNesting; ++round) {
    bool found = false;
    for (const auto& f : module) {
      int argument = -1;
      if (f.isDeclaration() || f.getName() == "main" || wrappers_.contains(f.getName()) ||
          f.getInstructionCount() > kMaxInstructions)
        continue;
      if (object_argument(f.getName()) || !is_wrapper(f, argument)) continue;
      wrappers_[f.getName()] = argument;
      found = true;
    }
    if (!found) return;
  }
}

}  // namespace heddle
