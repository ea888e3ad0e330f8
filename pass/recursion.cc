#include "pass/recursion.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"

namespace heddle {

llvm::DenseSet<const llvm::Function*> recursive_functions(llvm::Module& module) {
  llvm::DenseSet<const llvm::Function*> result;
  llvm::CallGraph graph(module);
  for (auto component = llvm::scc_begin(&graph); !component.isAtEnd(); ++component) {
    if (!component.hasCycle()) continue;
    for (const auto* node : *component)
      if (node->getFunction()) result.insert(node->getFunction());
  }
  return result;
}

}  // namespace heddle
