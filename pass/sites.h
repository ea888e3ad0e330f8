// Descriptors of static program points (abi/site.h), one per hooked program point.
#pragma once
#include <cstdint>
#include <string>

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

namespace heddle {

inline uint32_t flag_if(bool condition, uint32_t flag) { return condition ? flag : 0; }

struct SiteKey {
  uint8_t kind = 0;  // enum HeddleEventKind
  uint8_t size = 0;
  uint32_t flags = 0;
  std::string variable;  // source expression; empty if unknown
};

class Sites {
 public:
  explicit Sites(llvm::Module& module) : module_(module) {}

  /// A new descriptor for the program point `at`, which lies in a hooked clone of `function`. It shares the comdat of the
  /// clone, so that the duplicates of inline functions vanish together with their code.
  llvm::Constant* make(const llvm::Instruction& at, llvm::StringRef function, const SiteKey& key);

  unsigned count() const { return count_; }

 private:
  llvm::Constant* text(llvm::StringRef string);
  llvm::Constant* relative(llvm::StringRef string, llvm::GlobalVariable* site, unsigned field);
  llvm::StructType* type();

  llvm::Module& module_;
  llvm::StringMap<llvm::GlobalVariable*> strings_;
  unsigned count_ = 0;
};

}  // namespace heddle
