#include "src/trace/detail.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

// The words for more bits come first: they are preferred when a set is printed.
constexpr std::pair<std::string_view, std::uint32_t> kWords[] = {
    {"branches", kBranchesDetail},
    {"accesses", kAccessesDetail},
    {"points", kPointsDetail},
    {"values", HEDDLE_DETAIL_POINTS | HEDDLE_DETAIL_ACCESSES | HEDDLE_DETAIL_VALUES},
    {"calls", HEDDLE_DETAIL_POINTS | HEDDLE_DETAIL_CALLS},
};
constexpr std::pair<std::string_view, std::uint32_t> kBits[] = {
    {"points", HEDDLE_DETAIL_POINTS}, {"accesses", HEDDLE_DETAIL_ACCESSES}, {"values", HEDDLE_DETAIL_VALUES},
    {"branches", HEDDLE_DETAIL_BRANCHES}, {"calls", HEDDLE_DETAIL_CALLS},   {"stacks", HEDDLE_DETAIL_STACKS}};
constexpr std::uint32_t kLevels[] = {kNoDetail, kPointsDetail, kAccessesDetail, kBranchesDetail};

}  // namespace

std::optional<std::uint32_t> parse_detail(std::string_view text) {
  std::uint32_t out = 0;
  for (bool more = true; more;) {
    const std::size_t end = text.find('+');
    const auto* word =
        std::ranges::find(kWords, text.substr(0, end), &std::pair<std::string_view, std::uint32_t>::first);
    if (word == std::end(kWords)) return std::nullopt;
    out |= word->second;
    more = end != text.npos;
    text.remove_prefix(more ? end + 1 : text.size());
  }
  return out;
}

std::string detail_text(std::uint32_t detail) {
  std::string out;
  std::uint32_t said = 0;
  for (const auto& [word, bits] : kWords) {
    if ((bits & ~detail) != 0 || (bits & ~said) == 0) continue;
    out += (out.empty() ? "" : "+") + std::string(word);
    said |= bits;
  }
  return out;
}

std::string detail_words() {
  std::string out;
  for (const auto& [word, bits] : kWords) out += (out.empty() ? "" : "|") + std::string(word);
  return out;
}

std::vector<std::string_view> detail_tokens(std::uint32_t detail) {
  std::vector<std::string_view> out;
  for (const auto& [token, bit] : kBits)
    if (detail & bit) out.push_back(token);
  return out;
}

std::uint32_t detail_of_level(std::uint64_t level) {
  return kLevels[std::min<std::uint64_t>(level, std::size(kLevels) - 1)];
}

std::uint32_t level_of_detail(std::uint32_t detail) {
  if (detail & HEDDLE_DETAIL_BRANCHES) return 3;
  if (detail & HEDDLE_DETAIL_ACCESSES) return 2;
  return detail & HEDDLE_DETAIL_POINTS ? 1 : 0;
}

}  // namespace heddle
