// The clean (pre-hook) bitcode of each module lies in section ".llvmbc" of its object behind this frame; the linker
// concatenates the frames of all objects. Readers walk frame by frame and skip what they do not know (untrusted input).
#pragma once
#include <stdint.h>

#define HEDDLE_FRAME_MAGIC 0x31454d4152464448ull  // "HDFRAME1" little-endian

struct HeddleBitcodeFrame {
  uint64_t magic;
  uint64_t size;        // bytes of bitcode that follow this header (padded with zeros to a multiple of 8)
  uint64_t hash;        // xxHash-free FNV-1a 64 of those bytes
  uint64_t site_count;  // sites the pass made in this module
};
