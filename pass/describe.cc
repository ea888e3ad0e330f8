#include "pass/describe.h"

#include "llvm/IR/GlobalVariable.h"

namespace heddle {

std::string describe(const llvm::Value* pointer) {
  return pointer->stripInBoundsOffsets()->getName().str();
}

}  // namespace heddle
