// Schedules that differ from a failing one in the order of two events. Pure.
//
//   A1 B1 A2 B2 | A is held before A2, B runs until B2 is done        A1 B1 . B2 A2      reversed(kAlone)
//               | the same, other threads run as they did meanwhile                      reversed(kAsBefore)
//               | A is held before A2, all others run as long as they can                delayed()
//
// What a thread has done already is left out of its later turns, since turns end at a position on their thread's own
// path (src/simplify/execution.h).
#pragma once
#include <compare>
#include <cstdint>

#include "src/simplify/execution.h"

namespace heddle {

/// A thread waits when it has done so many of its actions.
struct Hold {
  std::uint32_t thread = 0, actions = 0;
  auto operator<=>(const Hold&) const = default;
};
/// A thread runs until it has done so many of its actions; kAsLongAsItCan.
struct Target {
  std::uint32_t thread = 0, actions = 0;
  auto operator<=>(const Target&) const = default;
};
enum class Meanwhile { kAlone, kAsBefore };

Turns reversed(const Turns& turns, const Hold& hold, const Target& target, Meanwhile others);
/// `threads`: how many there are.
Turns delayed(const Turns& turns, const Hold& hold, std::uint32_t threads);

}  // namespace heddle
