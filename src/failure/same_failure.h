// When are two failures one? For those who collect distinct ones, and those who want the same one again.
#pragma once
#include <string>

#include "src/trace/trace.h"

namespace heddle {

/// Equal for equal failures: the signature and, since a function may have several of them, which assertion, check or
/// expectation. Of one build: an expectation is told from another by its line.
std::string identity(const FailureRecord& failure);
bool same_failure(const FailureRecord& one, const FailureRecord& other);

/// Whether the program, or the machine, said the same: for failures whose functions are not known. The place does not
/// count.
bool same_words(const FailureRecord& one, const FailureRecord& other);

}  // namespace heddle
