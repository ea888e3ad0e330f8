#include "src/simplify/operations.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace heddle {

Turns tidy(Turns turns) {
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  Turns out;
  for (const Turn& turn : turns) {
    std::uint32_t& at = position[turn.thread];
    if (turn.end <= at) continue;
    at = turn.end;
    if (!out.empty() && out.back().thread == turn.thread && !out.back().joined && !turn.joined)
      out.back() = turn;
    else
      out.push_back(turn);
  }
  return out;
}

std::optional<std::size_t> next_turn(const Turns& turns, std::size_t i) {
  for (std::size_t k = i + 1; k < turns.size(); k++)
    if (turns[k].thread == turns[i].thread) return k;
  return std::nullopt;
}

Turns without(const Turns& turns, std::size_t i) {
  Turns out = turns;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
  return tidy(std::move(out));
}

Turns pulled(const Turns& turns, std::size_t i) { return stretched(turns, i, turns[*next_turn(turns, i)].end); }

Turns stretched(const Turns& turns, std::size_t i, std::uint32_t end) {
  Turns out = turns;
  out[i].end = end;
  return tidy(std::move(out));
}

Turns gathered(const Turns& turns, std::size_t first, std::size_t last) {
  Turns out(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < last; i++) {
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(first);
    const auto same = std::find_if(begin, out.end(), [&](const Turn& t) { return t.thread == turns[i].thread; });
    if (same != out.end())
      same->end = turns[i].end;
    else
      out.push_back({turns[i].thread, turns[i].end, false, out.size() > first});
  }
  out.insert(out.end(), turns.begin() + static_cast<std::ptrdiff_t>(last), turns.end());
  return out;
}

bool can_gather(const Turns& turns, std::size_t first, std::size_t last) {
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t i = first; i < last; i++)
    if (!seen.insert(turns[i].thread).second) return true;
  return false;
}

}  // namespace heddle
