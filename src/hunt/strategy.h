// The strategies of a hunt by name. What runs in the program is in runtime/strategy/; icb, dfs and dpor are there one
// strategy, PREFIX.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "abi/region.h"

namespace heddle {

enum class Strategy {
  kRandom,
  kPct,
  kPos,
  kSurw,
  kRaceDirected,
  kIcb,
  kDfs,
  kDpor,
  kRff,
  kFollowUp,
  kAuto
};  // kFollowUp: a part of auto

const char* strategy_name(Strategy strategy);
std::optional<Strategy> strategy_named(std::string_view name);
/// In the order in which they are told to the user.
std::vector<std::string_view> strategy_names();
/// It executes every schedule (with a bound, or of a kind) once, and says when it has.
inline bool is_exhaustive(Strategy strategy) {
  return strategy == Strategy::kIcb || strategy == Strategy::kDfs || strategy == Strategy::kDpor;
}
/// What the program is told; of kAuto it depends on the run.
HeddleStrategy runtime_strategy(Strategy strategy);

}  // namespace heddle
