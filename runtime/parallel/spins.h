// How often waiters look before they sleep. Each look is a state of its own, so the exhaustive test of the protocol
// compiles with one (protocol_test.cc).
#pragma once

namespace heddle::rt {
#ifdef HEDDLE_SPINS
constexpr int spins(int) { return HEDDLE_SPINS; }
#else
constexpr int spins(int looks) { return looks; }
#endif
}  // namespace heddle::rt
