// Time-outs as choices of the schedule (HEDDLE_TIME_LOOSE). A sleep is no synchronisation: the threads that could run
// meanwhile may be slower than it lasts. So a thread that waits with a deadline can be chosen before that, and virtual
// time jumps to its deadline. Time stays monotonic and consistent: whatever else is due by then is due, too. A wait of
// more than an hour is one for ever.
#pragma once
#include "runtime/control/control.h"

namespace heddle::rt {

/// `t` begins to wait with a deadline: may it be chosen before that? Counts the wait.
bool may_expire_early(Thread& t);
/// The same where it may not: time passes as it was recorded.
bool expires_when_due(Thread& t);

/// Nothing but the time lets this waiting thread go on, and the time has not come: choosing it is an early time-out.
bool waits_for_time(Thread& t);

/// `t` was chosen: lets its deadline come if waits_for_time(). Returns the virtual ns that were skipped.
uint64_t expire_early(Thread& t);

/// A timer of the program was armed, the `number`-th of the run: from which step on may it expire early, by a choice?
/// ~0: not before it is due.
uint64_t early_step_of_timer(uint64_t due, uint64_t number);

/// The program read a clock: it may notice from now on that time passed.
void clock_was_read();
/// Before a decision, in runs with early time-outs: now and then much time passes between two reads of a clock, as it
/// does for a thread that the kernel takes off its processor. An input of the run: a replay lets the same time pass in
/// the same place.
void time_may_pass();

}  // namespace heddle::rt
