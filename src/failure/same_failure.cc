#include "src/failure/same_failure.h"

#include <algorithm>
#include <tuple>

namespace heddle {

std::string identity(const FailureRecord& failure) {
  std::string out = std::string(token(failure.kind)) + '\n' + failure.signature;
  if (failure.kind == HEDDLE_FAIL_ASSERTION || failure.kind == HEDDLE_FAIL_CHECK) out += '\n' + failure.said;
  // Of an expectation (src/engine/conditions.h) also its line: a test may expect the same thing twice.
  if (failure.kind == HEDDLE_FAIL_EXIT) out += '\n' + failure.expectation_place;
  return out;
}

bool same_failure(const FailureRecord& one, const FailureRecord& other) { return identity(one) == identity(other); }

bool same_words(const FailureRecord& one, const FailureRecord& other) {
  const auto words = [](const FailureRecord& f) { return std::tie(f.kind, f.subject, f.said, f.address); };
  const auto waits = [](const DeadlockEdge& e) { return std::tie(e.thread, e.wait, e.object, e.holder); };
  return words(one) == words(other) &&
         std::ranges::equal(one.deadlock, other.deadlock,
                            [&](const DeadlockEdge& a, const DeadlockEdge& b) { return waits(a) == waits(b); });
}

}  // namespace heddle
