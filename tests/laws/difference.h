// Are two executions the same? The answer is empty, or says where they first differ, with source lines.
#pragma once
#include <string>

#include "tests/laws/subject.h"

namespace heddle::laws {

/// Failure kind and signature or exit status, number and hash of steps, what was written.
std::string outcome_difference(Subject& subject, const Execution& expected, const Execution& actual);

/// Which kinds of events both executions have.
enum class Compared { kEverything, kAllButBranches };

/// Events are equal in thread, kind, site, object, value and flags; never compared: addresses and stack ids.
std::string event_difference(Subject& subject, const Execution& expected, const Execution& actual, Compared compared);

}  // namespace heddle::laws
