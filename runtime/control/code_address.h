// Code addresses that mean the same in every run.
#pragma once
#include "runtime/rt.h"

namespace heddle::rt {

/// One number per instruction, whatever its module was loaded at: of a library from its build-id (without one, its file
/// name), and the offset in it. Code outside of all modules has its address only. Asks the dynamic linker without
/// locks.
uint64_t code_key(uint64_t pc);

/// Does `pc` lie in a loaded module?
bool in_module(uint64_t pc);

}  // namespace heddle::rt
