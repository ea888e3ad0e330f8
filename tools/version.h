// Which heddle this is. Written by cmake/HeddleVersion.cmake in each build.
#pragma once

namespace heddle {

extern const char* const kVersion;    // "0.1.0"
extern const char* const kBuiltFrom;  // "commit 44b58e8a0c11 with local changes, by g++ 12.2.0 with LLVM 19.1.7"

}  // namespace heddle
