// Accesses that could race in another schedule of the same program: hybrid detection (O'Callahan, Choi: Hybrid Dynamic
// Data Race Detection, PPoPP 2003). Two accesses to one address by two threads, at least one of them a write, that
// neither creating and joining threads nor a common lock orders. Over-approximates: whatever else orders them
// (semaphores, condition variables, atomics) is not looked at. For points, never for reports.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "abi/decision.h"
#include "abi/events.h"

namespace heddle {

/// Sites of plain accesses of such pairs, ascending. `decisions`: of a run in which every access was a point.
std::vector<std::uint32_t> potential_races(std::span<const HeddleDecision> decisions);

}  // namespace heddle
