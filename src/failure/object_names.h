// What synchronisation objects are called. One answer for failures and for traces.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/region.h"
#include "src/program/symbolizer.h"

namespace heddle {

/// By index in the region's table: "m", "queue.lock" (static storage), "thr->mutex" (as its first user spells it;
/// several of that name are numbered from the second on: "thr->mutex#2"), "mutex#2". `symbolizer` may be null.
std::vector<ObjectName> object_names(std::span<const HeddleObjectInfo> objects,
                                     std::span<const std::uint64_t> stack_words, Symbolizer* symbolizer);

/// The addresses of a stack in the region's table; empty for 0 and for damaged ids.
std::vector<std::uint64_t> stack_addresses(std::span<const std::uint64_t> words, std::uint32_t id);

}  // namespace heddle
