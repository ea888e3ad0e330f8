// About signals: a word of HeddleRun that has no name in region.h yet, and a flag of decisions beside HEDDLE_OF_*.
#pragma once
#include "abi/region.h"

#define HEDDLE_OF_HANDLER 1u  // what was chosen is the handler of a signal, in place of the step that the decision names

// 1: as traces of earlier versions were made: a signal's handler runs where a thread calls a modelled function or makes a system call,
// not at atomic instructions and accesses.
static inline uint32_t* heddle_late_signals(struct HeddleRun* run) { return &run->reserved[0]; }
