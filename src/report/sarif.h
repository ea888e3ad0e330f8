// SARIF 2.1.0, as code scanning of GitHub and of editors reads it.
#pragma once
#include <string>

#include "src/report/report.h"

namespace heddle {

/// A result per found failure, with a threadFlow per thread from its trace, and per data race. Failures that were seen
/// once only, and what could not be tested, are notifications of the invocation: nothing is claimed that was not
/// executed again. A trace that cannot be read costs the threadFlows, not the result.
std::string sarif_log(const Report& report);

}  // namespace heddle
