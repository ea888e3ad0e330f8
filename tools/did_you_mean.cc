#include "tools/did_you_mean.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr std::size_t kNear = 2;

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = std::ranges::min_element(known, {}, [&](const std::string& k) { return distance(k, word); });
  if (nearest == known.end() || distance(*nearest, word) > std::min(kNear, nearest->size() - 1)) return {};
  return fmt::format("; did you mean {}?", *nearest);
}

}  // namespace heddle
