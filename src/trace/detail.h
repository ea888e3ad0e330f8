// What a trace contains beside choices, inputs and hashes: sets of HEDDLE_DETAIL_* (abi/region.h), and their words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/region.h"

namespace heddle {

/// The usual sets, each with all of the one before.
inline constexpr std::uint32_t kNoDetail = 0;
inline constexpr std::uint32_t kPointsDetail = HEDDLE_DETAIL_POINTS | HEDDLE_DETAIL_STACKS;
inline constexpr std::uint32_t kAccessesDetail = kPointsDetail | HEDDLE_DETAIL_ACCESSES | HEDDLE_DETAIL_VALUES;
inline constexpr std::uint32_t kBranchesDetail = kAccessesDetail | HEDDLE_DETAIL_BRANCHES;

/// Words joined by '+', as options have them: "accesses+branches". A word may stand for several bits. nullopt: a word
/// that is none.
std::optional<std::uint32_t> parse_detail(std::string_view text);
/// parse_detail(detail_text(d)) == d for every d that words can say; "" of none.
std::string detail_text(std::uint32_t detail);
/// "points|accesses|...": all words.
std::string detail_words();
/// One token per bit, for programs that read the answer.
std::vector<std::string_view> detail_tokens(std::uint32_t detail);

// Traces of versions before the bits have a level: 0 none, 1 points, 2 accesses, 3 branches. Every trace still has it,
// for their readers.
std::uint32_t detail_of_level(std::uint64_t level);
std::uint32_t level_of_detail(std::uint32_t detail);

}  // namespace heddle
