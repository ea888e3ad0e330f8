#include "src/show/race_groups.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "src/show/words.h"

namespace heddle {
namespace {

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Is `name` in `text` as a whole word?
bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); !name.empty() && at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word_part(text[at - 1])) && (end == text.size() || !is_word_part(text[end]))) return true;
  }
  return false;
}

bool is_at(const RaceAccess& access, const FailureRecord& failure) {
  const Frame frame = own_frame(access);
  return failure.line != 0 && frame.line == failure.line && frame.file == failure.file;
}

bool is_about(const RaceRecord& race, const FailureRecord& failure) {
  if (is_at(race.first, failure) || is_at(race.second, failure)) return true;
  return (failure.kind == HEDDLE_FAIL_ASSERTION || failure.kind == HEDDLE_FAIL_CHECK) &&
         names(failure.said, race.variable);
}

std::string text_of(const RaceAccess& access) {
  const Frame frame = own_frame(access);
  return fmt::format("{} {}:{} {} {}", access_token(access.kind), frame.file, frame.line, frame.function,
                     access.thread);
}

}  // namespace

Frame own_frame(const RaceAccess& access) {
  const auto is_own = [](const Frame& f) { return !f.system && !f.file.empty(); };
  const auto own = std::ranges::find_if(access.stack, is_own);
  if (own != access.stack.end()) {
    const auto caller = std::find_if(own, access.stack.end(), [&](const Frame& f) { return is_own(f) && !f.wrapper; });
    return caller != access.stack.end() ? *caller : *own;
  }
  Frame frame;
  frame.function = access.function;
  frame.file = access.file;
  frame.line = access.line;
  return frame;
}

std::vector<RaceGroup> grouped_races(std::span<const RaceRecord> races, const FailureRecord* failure) {
  std::vector<RaceGroup> groups;
  std::set<std::string> seen;
  for (const RaceRecord& race : races) {
    const std::string variable = race.variable.empty() ? "memory" : race.variable;
    if (!seen.insert(fmt::format("{}|{}|{}", variable, text_of(race.first), text_of(race.second))).second) continue;
    auto group = std::ranges::find(groups, variable, &RaceGroup::variable);
    // What has no name is not known to be the same memory.
    if (group == groups.end() || race.variable.empty()) {
      groups.push_back({variable, race.size, {}, false});
      group = groups.end() - 1;
    }
    group->races.push_back(&race);
    group->at_failure |= failure && is_about(race, *failure);
  }
  std::ranges::stable_partition(groups, &RaceGroup::at_failure);
  return groups;
}

std::string counted_races(std::span<const RaceGroup> groups) {
  std::size_t races = 0;
  for (const RaceGroup& group : groups) races += group.races.size();
  if (races == groups.size()) return counted("data race", races);
  return fmt::format("{} on {}", counted("data race", races), counted("variable", groups.size()));
}

}  // namespace heddle
