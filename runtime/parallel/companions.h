// Memory that one lock guards changes hands together. Behind each kind of step (a lock, by its place in the source) a thread usually takes the
// same stripes over, one after the other; from the second on they are taken with the first, and their owner is asked once.
//
// A guess only decides what is taken together: a stripe may be taken over at any hook. Everything here is called with the baton.
#pragma once
#include "runtime/control/thread.h"

namespace heddle::rt {

constexpr uint32_t kMostCompanions = 8;

void companions_start();
/// The thread had to take this stripe over from another one, in the section that its last step began.
void learn_companion(Thread& t, uint32_t stripe);
/// Those it is likely to need before its next step; not twice in a section.
uint32_t guess_companions(Thread& t, uint32_t (&stripes)[kMostCompanions]);

}  // namespace heddle::rt
