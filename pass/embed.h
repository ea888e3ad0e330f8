// Carries the clean module inside its own object file (abi/bitcode_frame.h).
#pragma once
#include <cstdint>
#include <string>

#include "llvm/IR/Module.h"

namespace heddle {

/// The module as bitcode, padded to a multiple of 8. Call before the first change to the module.
std::string serialize(const llvm::Module& module);

/// Puts the frame into its section (see embed.cc for the name). Call once, after the sites are known.
void embed(llvm::Module& module, const std::string& bitcode, uint64_t site_count);

}  // namespace heddle
