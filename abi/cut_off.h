// Why a run was ended by the runtime although nothing is known to be wrong with the program: bits of
// HeddleResult::overflow above those of the areas, so that such a run is incomplete for whoever asks. It is no failure,
// and its exit status means nothing.
#pragma once

#define HEDDLE_CUT_OFF_STEPS (1u << 31)         // it reached HeddleRun::max_steps while threads still changed something
#define HEDDLE_CUT_OFF_UNCONTROLLED \
  (1u << 30)  // all threads wait, but there is a thread that is not under control and may act
#define HEDDLE_CUT_OFF (HEDDLE_CUT_OFF_STEPS | HEDDLE_CUT_OFF_UNCONTROLLED)
