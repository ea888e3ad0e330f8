// What each linked module (executable or shared library) has once: the switch and the constructor that registers it.
#pragma once
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace heddle {

/// `__heddle_active` of the linked module that `module` will be part of.
llvm::GlobalVariable* declare_active(llvm::Module& module);

llvm::GlobalVariable* find_active(llvm::Module& module);  // null: nobody reads it

/// `__heddle_hot_offset`: where inline checks find the thread (abi/record_hooks.h). One per linked module, too.
llvm::GlobalVariable* declare_record(llvm::Module& module);

/// The constructor that calls __heddle_register_module if there is a runtime in the process.
void add_module_constructor(llvm::Module& module, llvm::GlobalVariable* active);

}  // namespace heddle
