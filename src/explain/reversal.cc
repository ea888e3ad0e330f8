#include "src/explain/reversal.h"

#include "src/simplify/operations.h"

namespace heddle {
namespace {

/// The turn in which the thread goes further than where it is to be held.
std::size_t turn_that_passes(const Turns& turns, const Hold& hold) {
  std::size_t i = 0;
  while (i < turns.size() && !(turns[i].thread == hold.thread && turns[i].end > hold.actions)) i++;
  return i;
}

Turns up_to(const Turns& turns, std::size_t i, const Hold& hold) {
  Turns out(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(i));
  out.push_back({hold.thread, hold.actions});
  return out;
}

void append_from(Turns& out, const Turns& turns, std::size_t i) {
  out.insert(out.end(), turns.begin() + static_cast<std::ptrdiff_t>(i), turns.end());
}

}  // namespace

Turns reversed(const Turns& turns, const Hold& hold, const Target& target, Meanwhile others) {
  const std::size_t passes = turn_that_passes(turns, hold);
  Turns out = up_to(turns, passes, hold);
  if (others == Meanwhile::kAsBefore)
    for (std::size_t i = passes; i < turns.size(); i++) {
      if (turns[i].thread == hold.thread) continue;
      if (turns[i].thread == target.thread && turns[i].end >= target.actions) break;
      out.push_back(turns[i]);
    }
  out.push_back({target.thread, target.actions});
  append_from(out, turns, passes);
  return tidy(std::move(out));
}

Turns delayed(const Turns& turns, const Hold& hold, std::uint32_t threads) {
  const std::size_t passes = turn_that_passes(turns, hold);
  Turns out = up_to(turns, passes, hold);
  for (std::size_t i = passes; i < turns.size(); i++)
    if (turns[i].thread != hold.thread) out.push_back(turns[i]);
  bool joined = false;
  for (std::uint32_t thread = 0; thread < threads; thread++) {
    if (thread == hold.thread) continue;
    out.push_back({thread, kAsLongAsItCan, false, joined});
    joined = true;
  }
  append_from(out, turns, passes);
  return tidy(std::move(out));
}

}  // namespace heddle
