// A third clone of each function, for recordings and their replays: made last, of the optimised `f.plain`.
//
//   before:   f, f.plain (optimised), f.heddle          after:   f.record: the code of f.plain, with the checks of
//   abi/record_hooks.h; calls .record
//                                                                clones directly
//                                                                f: goes there if HEDDLE_ACTIVE_RECORD is in
//                                                                `__heddle_active`
//
// Why late: a recording has to order the accesses that the machine executes. What the optimiser leaves of a function
// touches memory far less often than its source does. Why a clone of its own: hunts want the accesses of the source.
//
// Where a record clone cannot be made (coroutines, link-time optimisation) recordings take `f.heddle`, whose hooks
// count alike.
#pragma once
#include "pass/clone.h"

namespace heddle {

/// Early: notes in the module which functions are clones of which.
void remember_clones(llvm::Module& module, const std::vector<Clones>& clones);

/// Late: makes all record clones of the module. Does nothing where nothing was noted.
void make_record_clones(llvm::Module& module);

}  // namespace heddle
