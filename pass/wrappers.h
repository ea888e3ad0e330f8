// Functions that only wrap a synchronisation primitive ("mythread_mutex_lock", "Mutex::Lock"): a report names their
// caller.
//
// Such a function calls one primitive, or one other wrapper, and has no other effect: no loop, no second call but those
// of error branches that do not return, no store but to its own variables and, of a guard's constructor, the lock that
// it was given.
#pragma once
#include <optional>

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace heddle {

class Wrappers {
 public:
  /// Looks at all functions of the module; before they are cloned.
  explicit Wrappers(const llvm::Module& module);

  /// `function`: linkage name of the original.
  bool contains(llvm::StringRef function) const { return wrappers_.contains(function); }
  /// The object that a call of a primitive or a wrapper is about; null: it is neither, or the object is not among its
  /// arguments.
  const llvm::Value* object_of(const llvm::CallBase& call) const;

 private:
  bool is_wrapper(const llvm::Function& f, int& argument) const;
  /// Which argument of a call of `name` is the object; -1: none of them; nullopt: no primitive.
  std::optional<int> object_argument(llvm::StringRef name) const;

  llvm::StringMap<int> wrappers_;  // by linkage name: the argument that is the object, -1: none
};

}  // namespace heddle
