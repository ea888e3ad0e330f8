// The clean (pre-hook) bitcode of each module lies in section ".llvmcmd" of its object behind this frame (".llvmbc" would make
// GNU ar and nm take the object for bitcode: pass/embed.cc); the linker concatenates the frames of all objects, each aligned
// to 8. Readers walk frame by frame and skip what they do not know, 8 bytes at a time (untrusted input).
#pragma once
#include <stdint.h>

#define HEDDLE_FRAME_MAGIC 0x31454d4152464448ull  // "HDFRAME1" little-endian

struct HeddleBitcodeFrame {
  uint64_t magic;
  uint64_t size;        // bytes that follow this header: bitcode, padded with zeros to a multiple of 8 (which LLVM ignores)
  uint64_t hash;        // xxHash-free FNV-1a 64 of those bytes
  uint64_t site_count;  // sites the pass made in this module
};
