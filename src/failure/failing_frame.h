// Which part of the failing thread's stack caused the failure. Internal to src/failure.
#pragma once
#include <span>

#include "src/trace/trace.h"

namespace heddle {

/// The frames from the one that caused a failure of this kind outwards: without abort(), __assert_fail, the throw and
/// terminate machinery, and without user code that these called (a terminate handler, a SIGABRT handler).
std::span<const Frame> frames_of_cause(const Stack& stack, FailureKind kind);

/// The user's frame that the failure is shown at; null: the stack is empty.
const Frame* frame_of_cause(const Stack& stack, FailureKind kind);

/// Does an abort come from std::terminate?
bool holds_terminate(const Stack& stack);
/// Does an abort come from a failed assertion?
bool holds_assertion(const Stack& stack);

}  // namespace heddle
