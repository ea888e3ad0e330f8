// heddle cc, heddle c++: clang with the pass and the runtime.
#pragma once
#include <string>

namespace heddle {

/// The clang behind it: HEDDLE_CLANG, or the one of LLVM 19.
std::string clang_path();

/// `argv` holds the arguments behind the verb (or behind heddle-cc's own name). Returns only on error, with the exit
/// status; otherwise the process becomes clang.
int cc_main(bool cxx, int argc, char** argv);

}  // namespace heddle
