// HeddleInput.reserved, as far as the host looks at it; the rest is the runtime's (runtime/io/stream.h).
#pragma once

#define HEDDLE_INPUT_LEFT 1u      // the call left control here: when it returned was up to the world
#define HEDDLE_INPUT_UNDER_WAY 512u  // the process ended before the call had a result
#define HEDDLE_INPUT_OUT 1024u    // at the end of the data: what the call carried out of the program
#define HEDDLE_INPUT_ORDER 0x1c0u  // none of these: the answer has nothing to do with what the program did before
