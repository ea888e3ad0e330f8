// The program that a trace is of, for verbs that execute it again.
#pragma once
#include <string>
#include <vector>

#include "src/program/program.h"
#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

/// The one at the recorded path, or `given` when it is not empty. Errors: it is not there, or another build; the advice
/// is a line of `verb` on `trace`.
Result<ProgramInfo> program_of_trace(const std::string& given, const Meta& meta,
                                     const std::vector<std::string>& environment, const std::string& verb,
                                     const std::string& trace);

}  // namespace heddle
