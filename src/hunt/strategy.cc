#include "src/hunt/strategy.h"

namespace heddle {
namespace {

struct Row {
  Strategy strategy;
  const char* name;
  HeddleStrategy runtime;
};
constexpr Row kRows[] = {
    {Strategy::kAuto, "auto", HEDDLE_STRATEGY_RANDOM},
    {Strategy::kRandom, "random", HEDDLE_STRATEGY_RANDOM},
    {Strategy::kPct, "pct", HEDDLE_STRATEGY_PCT},
    {Strategy::kPos, "pos", HEDDLE_STRATEGY_POS},
    {Strategy::kSurw, "surw", HEDDLE_STRATEGY_SURW},
    {Strategy::kRaceDirected, "racedirected", HEDDLE_STRATEGY_RACEDIRECTED},
    {Strategy::kRff, "rff", HEDDLE_STRATEGY_RFF},
    {Strategy::kFollowUp, "followup", HEDDLE_STRATEGY_RACEDIRECTED},
    {Strategy::kIcb, "icb", HEDDLE_STRATEGY_PREFIX},
    {Strategy::kDfs, "dfs", HEDDLE_STRATEGY_PREFIX},
    {Strategy::kDpor, "dpor", HEDDLE_STRATEGY_PREFIX},
};

const Row& row(Strategy strategy) {
  for (const Row& candidate : kRows)
    if (candidate.strategy == strategy) return candidate;
  return kRows[0];
}

}  // namespace

const char* strategy_name(Strategy strategy) { return row(strategy).name; }
HeddleStrategy runtime_strategy(Strategy strategy) { return row(strategy).runtime; }

std::optional<Strategy> strategy_named(std::string_view name) {
  for (const Row& candidate : kRows)
    if (name == candidate.name && candidate.strategy != Strategy::kFollowUp) return candidate.strategy;
  return std::nullopt;
}

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const Row& candidate : kRows)
    if (candidate.strategy != Strategy::kFollowUp) names.emplace_back(candidate.name);
  return names;
}

}  // namespace heddle
