// Calls that libc's names make (named_calls.cc), answered by dispatch.cc.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

/// A system call that the calling thread makes here would be trapped, and answered for it.
bool is_trapped();
/// Answers it: a result, or -errno. `pc` is a place in libc's function of that name, `frame` that of the name's caller.
long named_call(long number, const long (&a)[6], void* pc, const void* frame);

}  // namespace heddle::rt
