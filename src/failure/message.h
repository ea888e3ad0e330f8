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

/// The kind as DESIGN.md spells it.
std::string kind_text(HeddleFailureKind kind);

/// Fills message and detail. The first line of `detail` is "name: value" of what the signature needs beside functions:
/// the type of an exception, the status of an exit, the signal, the class of a sanitizer's report.
void describe(FailureRecord& record, EvidenceReader& evidence, const Cause& cause);

}  // namespace heddle
