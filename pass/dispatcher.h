// The body of a dispatcher; drawn in clone.h.
#pragma once
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace heddle {

/// `f` has no body yet and the signature of both clones.
void write_dispatcher(llvm::Function& f, llvm::Function& plain, llvm::Function& hooked, llvm::GlobalVariable* active);
/// The body of f.enter (light.h): `light`, if the first word of `record` is not 0.
void write_selector(llvm::Function& f, llvm::Function& hooked, llvm::Function& light, llvm::GlobalVariable* record);

/// Late: recordings go to `record`. A dispatcher that was optimised beyond recognition sends them to the hooked clone
/// as before.
void dispatch_recordings(llvm::Function& f, const llvm::Function& plain, llvm::Function& record,
                         llvm::GlobalVariable* active);

}  // namespace heddle
