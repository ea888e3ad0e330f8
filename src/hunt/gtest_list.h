// heddle hunt --gtest: which tests of a GoogleTest program are hunted in.
#pragma once
#include <string>
#include <vector>

#include "src/engine/launch.h"
#include "src/gtest/gtest_output.h"
#include "src/result/result.h"

namespace heddle {

/// Asks the program for its tests, and chooses as GoogleTest would with the arguments of `launch` and the user's
/// `environment` (shards, disabled tests). Errors: it is no such program, or its filter matches nothing.
Result<std::vector<GtestChoice>> gtests_of(const Launch& launch, const std::vector<std::string>& environment);

/// Without what a runner of tests tells the program about all its tests: wrong for one test that runs many times.
std::vector<std::string> environment_of_one_test(std::vector<std::string> environment);

}  // namespace heddle
