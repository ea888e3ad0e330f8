// The clean (pre-hook) bitcode of each module lies in section ".llvmcmd" of its object behind this frame (".llvmbc"
// would make GNU ar and nm take the object for bitcode: pass/embed.cc). The linker concatenates the frames of all
// objects, each aligned to 8. Readers walk frame by frame and skip what they do not know, 8 bytes at a time (untrusted
// input).
//
// Instructions of a module are numbered from 1, in the order of its functions, blocks and instructions; those that only
// describe debug information (llvm.dbg.*) are not counted. HeddleSite::ordinal is such a number.
#pragma once
#include <stdint.h>

#define HEDDLE_FRAME_MAGIC 0x32454d4152464448ull  // "HDFRAME2" little-endian

struct HeddleBitcodeFrame {
  uint64_t magic;
  uint64_t size;          // bytes that follow this header: bitcode, and zeros up to a multiple of 8 (LLVM ignores them)
  uint64_t hash;          // FNV-1a 64 of those bytes; it names the module (HeddleSiteHead::bitcode)
  uint64_t instructions;  // in the module: a reader that counts differently must not resolve ordinals
};
