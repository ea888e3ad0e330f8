// heddle hunt --gtest: a GoogleTest program, hunted test by test.
#pragma once
#include "tools/hunt_arguments.h"

namespace heddle {

/// Lists the tests of the program, hunts in each by itself with the budget of `arguments`, prints a line for each and
/// the totals, writes a trace per failing test, and the reports. Returns the exit status: 66 if a test failed, else 3
/// if one was inconclusive, 2 if one could not be hunted in.
int hunt_gtest(HuntArguments& arguments);

}  // namespace heddle
