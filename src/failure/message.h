// Message and detail of a failure, for people. Internal to src/failure.
#pragma once
#include <string>

#include "src/failure/evidence.h"

namespace heddle {

/// What the run ended with, before stacks are looked at.
struct Cause {
  HeddleFailureKind kind = HEDDLE_FAIL_NONE;
  int signal = 0;
  int exit_status = 0;
  bool recorded = false;  // the child left a failure record; else this comes from its wait status
};

/// Fills message and detail, for people, and what they are made of: subject, said, address.
void describe(FailureRecord& record, EvidenceReader& evidence, const Cause& cause);

}  // namespace heddle
