#pragma once
#include <stdint.h>

#include "runtime/control/control.h"

namespace heddle::rt {
/// From here on choose() has questions of its own at each step (below), so nobody stays without asking: when time jumps
/// and when the schedule gets fair must not depend on whether somebody watches each step.
inline bool many_looks() { return (control.quiet_steps > kQuietBeforeJump) | (control.looks > kQuietBeforeFair); }
/// Many steps in a row changed nothing: lets the next deadline come, or what is outside have its time.
void let_time_pass_for_spinners();
/// Nobody is left who could ever change anything.
bool too_quiet();
/// A livelock is a claim about fair schedules: long before one is reported, every thread that can run gets its turn,
/// whatever the strategy prefers. True: so it is now.
bool schedule_must_be_fair();
/// The thread whose turn it is then; a function of the threads that can run and of the decisions before.
uint32_t fair_choice();
}  // namespace heddle::rt
