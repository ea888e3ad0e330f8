// The simplifying operations of Tinertia (Jalbert and Sen, FSE 2010, section 3.3) on the turns of an execution. Pure.
//
// Turns end at a position on their thread's own path, so what the paper does to lists of actions is simpler here: a
// turn that is taken out is made up for by the next one of its thread. Remove Last and Consolidate Down are one
// operation.
//
//   A1 B1 A2 B2 A3     without(1)     A1 A2 B2 A3  = A12 B12 A3     Consolidate Down of B1
//                      without(4)     A1 B1 A2 B2                   Remove Last of A
//                      pulled(0)      A12 B1 B2 A3 = A12 B12 A3     Consolidate Up, first stage
//                      stretched(0)   A1+ B1 A2 B2 A3               Consolidate Up, second stage: + from A2
//                      gathered(0, 4) {A12 B12} A3                  many Consolidate Up at once
#pragma once
#include <cstddef>
#include <optional>

#include "src/simplify/execution.h"

namespace heddle {

/// Neighbours of one thread become one turn; turns that end before they begin go.
Turns tidy(Turns turns);

/// The next turn of the thread of turn `i` behind it.
std::optional<std::size_t> next_turn(const Turns& turns, std::size_t i);

Turns without(const Turns& turns, std::size_t i);
/// The next turn of its thread is taken directly behind turn `i`. There must be one.
Turns pulled(const Turns& turns, std::size_t i);
/// Turn `i` ends later. Other turns of its thread stay, and begin later.
Turns stretched(const Turns& turns, std::size_t i, std::uint32_t end);
/// Of turns [first, last) one for each thread, joined: each thread goes as far as it can before another one does.
Turns gathered(const Turns& turns, std::size_t first, std::size_t last);
/// Would gathered() change anything?
bool can_gather(const Turns& turns, std::size_t first, std::size_t last);

}  // namespace heddle
