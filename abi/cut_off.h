// Why a run was ended by the runtime although nothing is known to be wrong with the program: bits of
// HeddleResult::cut_off. Such a run is incomplete for whoever asks. It is no failure, and its exit status means
// nothing.
#pragma once

enum {
  HEDDLE_CUT_OFF_STEPS = 1,         // it reached HeddleRun::max_steps while threads still changed something
  HEDDLE_CUT_OFF_UNCONTROLLED = 2,  // all threads wait, but one that is not under control may act
};
