// A source expression under construction: text, and the debug type that allows the next step.
#pragma once
#include <cstdint>
#include <string>

#include "llvm/IR/DebugInfoMetadata.h"

namespace heddle {

/// Names a place in memory. With `through_pointer`, `text` is the pointer and the place is what it points to.
struct Expression {
  std::string text;
  const llvm::DIType* type = nullptr;  // of the place; null if unknown
  bool through_pointer = false;
  bool hidden_pointer = false;  // the variable really lies behind a pointer that the source does not have

  bool known() const { return !text.empty(); }
  std::string str() const { return through_pointer && known() ? "*" + text : text; }

  /// The place behind the pointer or reference that is stored here.
  Expression loaded() const;
  /// Some element of this array, or of the array that the pointer points into.
  Expression indexed() const;
  /// The place `offset` bytes further on, by member names as far as the types are known.
  Expression at(uint64_t offset) const;
  /// The member with which this place begins, down to one of at most `size` bytes.
  Expression narrowed(uint64_t size) const;

 private:
  Expression member(llvm::StringRef name, const llvm::DIType* member_type) const;
};

}  // namespace heddle
