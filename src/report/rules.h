// The rules of a SARIF log: one per kind of failure (docs/failures.md), and the data race.
#pragma once
#include <span>
#include <string_view>

#include "src/trace/kinds.h"

namespace heddle {

struct Rule {
  FailureKind kind;        // NONE: any other
  std::string_view id;     // its token
  std::string_view name;   // CamelCase
  std::string_view text;   // one sentence
  std::string_view level;  // "error", "warning"
};

std::span<const Rule> rules();
/// Index of a kind's rule; kinds that are new share the last rule, "other".
std::size_t rule_of(FailureKind kind);

}  // namespace heddle
