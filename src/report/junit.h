// JUnit XML, as Jenkins, GitLab and their kin read it: a testsuite per suite, a testcase per hunt.
#pragma once
#include <string>

#include "src/report/report.h"

namespace heddle {

/// A found failure is a <failure> with signature, replay line and stacks; what could not be tested or was inconclusive
/// an <error>. Well-formed whatever the program is called and writes.
std::string junit_xml(const Report& report);

}  // namespace heddle
