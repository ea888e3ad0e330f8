// A word of HeddleRun that has no name in region.h yet.
#pragma once
#include "abi/region.h"

// 1: as traces of earlier versions were made: a signal's handler runs where a thread calls a modelled function or makes a system call,
// not at atomic instructions and accesses.
static inline uint32_t* heddle_late_signals(struct HeddleRun* run) { return &run->reserved[0]; }
