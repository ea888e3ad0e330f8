// Carries the clean module inside its own object file (abi/bitcode_frame.h).
#pragma once
#include <cstdint>
#include <string>

#include "llvm/IR/Module.h"

namespace heddle {

struct Bitcode {
  std::string bytes;  // padded to a multiple of 8
  uint64_t hash;      // of them: names the module
};

/// Call before the first change to the module.
Bitcode serialize(const llvm::Module& module);

/// Puts the frame into its section (see embed.cc for the name). `instructions`: of the serialised module.
void embed(llvm::Module& module, const Bitcode& bitcode, uint64_t instructions);

}  // namespace heddle
