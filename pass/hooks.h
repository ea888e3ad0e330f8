// Declarations of abi/hooks.h in the module at work.
#pragma once
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle {

class Hooks {
 public:
  explicit Hooks(llvm::Module& module);

  /// The hook `name` with these parameter types; declared on first use. Weak: a library that refers to hooks must link
  /// with -z defs, and load into a host that has no runtime.
  llvm::FunctionCallee get(llvm::StringRef name, llvm::ArrayRef<llvm::Type*> parameters, llvm::Type* result = nullptr);

  /// Emits `name(arguments...)` before the insertion point.
  llvm::CallInst* call(llvm::IRBuilder<>& builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value*> arguments,
                       llvm::Type* result = nullptr);

 private:
  llvm::Module& module_;
};

/// A builder whose instructions carry a location even where `at` has none: in front of `at` ...
struct BuilderBefore : llvm::IRBuilder<> {
  explicit BuilderBefore(llvm::Instruction& at);
};
/// ... or behind it (no terminator).
struct BuilderAfter : llvm::IRBuilder<> {
  explicit BuilderAfter(llvm::Instruction& at);
};

}  // namespace heddle
