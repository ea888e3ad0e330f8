// Descriptors of static program points (abi/site.h), one per hooked program point.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/site.h"
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
  uint32_t ordinal = 0;  // abi/site.h
};

struct SiteArray {
  llvm::GlobalVariable* array = nullptr;  // null: none
  unsigned count = 0;
};

/// The sites of one hooked clone lie in one array. If the clone can be merged with its likes from other modules, so can
/// the array, whether or not the clone survives: its code may have been inlined elsewhere. The array's name holds a
/// hash of its content, so that only equal arrays are merged.
class Sites {
 public:
  /// Of the module with that bitcode: the sites have ordinals in it, and each array begins with a head.
  Sites(llvm::Module& module, uint64_t bitcode) : module_(module), section_(HEDDLE_SITE_SECTION), bitcode_(bitcode) {}
  /// Without ordinals.
  Sites(llvm::Module& module, const char* section) : module_(module), section_(section) {}

  /// A new site for the program point `at`, which lies in a hooked clone of `function`; an address that holds until
  /// finish().
  llvm::Constant* make(const llvm::Instruction& at, llvm::StringRef function, const SiteKey& key);

  /// Writes the array of all sites made since the last call; they all lie in `clone`. `head_flags`: what the head says
  /// of the function; if it says something, there is an array without sites, too.
  SiteArray finish(llvm::Function& clone, llvm::StringRef function, uint32_t head_flags = 0);

  unsigned count() const { return count_; }

 private:
  struct Pending {
    llvm::GlobalVariable* placeholder;
    std::string function, file;
    uint32_t line;
    uint16_t column;
    SiteKey key;
  };

  llvm::Constant* text(llvm::StringRef string);
  llvm::Constant* relative(llvm::StringRef string, llvm::GlobalVariable* array, unsigned index, unsigned field);
  llvm::Constant* number(unsigned bits, uint64_t value);
  llvm::Constant* head(llvm::GlobalVariable* array, llvm::StringRef function, uint32_t flags);
  llvm::Constant* element(llvm::GlobalVariable* array, unsigned index, const Pending& site);
  std::string array_name(llvm::StringRef function, uint32_t head_flags) const;
  llvm::StructType* type();

  llvm::Module& module_;
  const char* section_;
  std::optional<uint64_t> bitcode_;  // hash
  std::vector<Pending> pending_;
  llvm::StringMap<llvm::GlobalVariable*> strings_;
  unsigned count_ = 0;
};

}  // namespace heddle
