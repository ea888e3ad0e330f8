// The names of system calls that can block, as programs call them.
#pragma once
#include <cstdint>
#include <string_view>

namespace heddle {

/// "read()", of HEDDLE_CALL_WORD (abi/inputs.h); empty: not known.
std::string_view call_name(std::uint64_t word);

}  // namespace heddle
