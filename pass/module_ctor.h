// What each linked module (executable or shared library) has once: the switch and the constructor that registers it.
#pragma once
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// `__heddle_active` of the linked module that `module` will be part of.
llvm::GlobalVariable* declare_active(llvm::Module& module);

/// The constructor that calls __heddle_register_module if there is a runtime in the process.
void add_module_constructor(llvm::Module& module, llvm::GlobalVariable* active);

}  // namespace heddle
