// What the programs of the corpus share: size parameters, and input data that is the same in every run.
#pragma once
#include <stdint.h>
#include <stdlib.h>

// The parameter at argv[which], counted from 1, or `otherwise`.
static inline int parameter(int argc, char** argv, int which, int otherwise) {
  return which < argc ? atoi(argv[which]) : otherwise;
}

// xorshift32. The state lives with its only user: no hidden sharing between threads.
static inline uint32_t next_random(uint32_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}
