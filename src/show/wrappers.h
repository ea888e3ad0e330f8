// More functions that only wrap a primitive than the pass found: the reader says which. Changes what is shown, nothing
// else.
#pragma once
#include <string>

#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

/// Marks all frames of the user's whose function `pattern`, an extended regular expression, is found in, and names the
/// callers of those that were named as places of the failure before. The signature stays: it belongs to the run. Error:
/// not a regular expression.
Status mark_wrappers(TraceHead& head, const std::string& pattern);

}  // namespace heddle
