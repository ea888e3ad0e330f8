// A word that is nearly one of those that are known.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// "; did you mean hunt?" when one of `known` is at most two letters away, the nearest; else empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace heddle
