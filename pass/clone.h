// Two clones and a dispatcher for each function.
//
//   before:   define i32 @f(ptr %p) { body }
//
//   after:    define internal i32 @f.plain(ptr %p)  { body }            calls .plain clones directly
//             define internal i32 @f.heddle(ptr %p) { body }            calls .heddle clones directly; gets the hooks
//             define i32 @f(ptr %p) {
//               %a = load i32, ptr @__heddle_active, !invariant.load
//               br i1 (%a != 0), label %h, label %p
//             h: musttail call @f.heddle(%p)   p: musttail call @f.plain(%p)
//             }
//             with "..." or byval arguments: naked, `cmpl $0, __heddle_active; jne f.heddle; jmp f.plain`
//
// `f` keeps its linkage, comdat, address and uses other than direct calls. An `f` that
// no other module can need and nobody uses any more (static, inline) goes away.
#pragma once
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace heddle {

struct Clones {
  llvm::Function* dispatcher;  // null when it was not needed
  llvm::Function* plain;
  llvm::Function* hooked;
  std::string name;            // of the original: what sites report
  // light.h
  llvm::Function* light = nullptr;         // null: there is none
  llvm::Function* enter = nullptr;         // light or hooked; null: hooked
  llvm::GlobalVariable* record = nullptr;  // of `enter`
};

/// A function that calls hooks writes memory and synchronises, whatever its source promised. T: a function, or a call
/// of it.
template <class T>
void drop_promises(T& f) {
  for (auto kind : {llvm::Attribute::Memory, llvm::Attribute::NoSync, llvm::Attribute::NoFree,
                    llvm::Attribute::WillReturn, llvm::Attribute::Speculatable, llvm::Attribute::NoCallback})
    f.removeFnAttr(kind);
}

/// Clones all of `functions` (all eligible) and retargets direct calls between them.
std::vector<Clones> clone_functions(const std::vector<llvm::Function*>& functions, llvm::GlobalVariable* active);

}  // namespace heddle
