#include "src/failure/same_failure.h"

namespace heddle {

std::string identity(const FailureRecord& failure) {
  std::string out = failure.kind + '\n' + failure.signature;
  if (failure.kind == "assertion" || failure.kind == "check") out += '\n' + failure.message;
  return out;
}

bool same_failure(const FailureRecord& one, const FailureRecord& other) { return identity(one) == identity(other); }

}  // namespace heddle
