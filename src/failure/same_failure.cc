#include "src/failure/same_failure.h"

namespace heddle {

std::string identity(const FailureRecord& failure) {
  std::string out = failure.kind + '\n' + failure.signature;
  if (failure.kind == "assertion" || failure.kind == "check") out += '\n' + failure.message;
  // Of an expectation (src/engine/conditions.h) also its line: a test may expect the same thing twice.
  if (failure.kind == "exit")
    if (const std::size_t place = failure.detail.find("\nplace: "); place != std::string::npos)
      out += failure.detail.substr(place);
  return out;
}

bool same_failure(const FailureRecord& one, const FailureRecord& other) { return identity(one) == identity(other); }

}  // namespace heddle
