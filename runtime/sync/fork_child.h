#pragma once
#include "runtime/control/thread.h"
namespace heddle::rt {
/// In a forked child, on its only thread (which was `me`), before any code of the program: writes the model into the
/// real primitives.
void model_to_memory(const Thread& me);
}  // namespace heddle::rt
