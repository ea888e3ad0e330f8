// The interface that code built with -fsanitize=thread calls, on top of our own hooks: what lies here only forwards.
//
// Such code has no site table: the site of an access is the address behind the call of the hook
// (runtime/hooks/code_sites.h). In a program that nobody controls every function here returns at once (atomics and
// memory functions do their work).
#pragma once
#include "abi/hooks.h"
#include "runtime/control/thread.h"
#include "runtime/hooks/code_sites.h"

#define HEDDLE_WEAK_EXPORT HEDDLE_EXPORT __attribute__((weak))  // a program that brings its own wins

namespace heddle::rt::tsan {

/// The site behind the call of this hook. At the top level of the hook only.
#define HEDDLE_CODE_SITE(kind, size, flags) \
  ::heddle::rt::code_site(__builtin_return_address(0), HEDDLE_EV_##kind, (size), (flags))

/// Locks of the program's own making, known by annotations: happens-before only. `levels`: of recursion.
void lock_acquired(const volatile void* lock, bool for_writing, uint32_t levels = 1);
/// Returns the levels that were given up: one, or all.
uint32_t lock_released(const volatile void* lock, bool for_writing, bool all_levels = false);
void lock_destroyed(const volatile void* lock);
void happens_before(const volatile void* address);
void happens_after(const volatile void* address);

/// Inside: no accesses are checked, atomics order nothing.
void ignore_begin();
void ignore_end();

}  // namespace heddle::rt::tsan
