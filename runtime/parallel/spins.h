// How often waiters look before they sleep, and how large the chunks of a log are. Each look is a state of its own, and
// a state has the whole log, so the exhaustive test of the protocol compiles with other numbers (protocol_test.cc).
#pragma once

namespace heddle::rt {
#ifdef HEDDLE_SPINS
constexpr int spins(int) { return HEDDLE_SPINS; }
constexpr unsigned chunk_bytes(unsigned) { return HEDDLE_CHUNK; }
#else
constexpr int spins(int looks) { return looks; }
constexpr unsigned chunk_bytes(unsigned bytes) { return bytes; }
#endif
}  // namespace heddle::rt
