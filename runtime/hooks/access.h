// Between the hooks: the slow side of an access.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

extern uint32_t every_access_slow;

/// point() for a hook whose stack is already captured in info->pending_stack.
void point_here(Thread& t, const Op& op);

}  // namespace heddle::rt
