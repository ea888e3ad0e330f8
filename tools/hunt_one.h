// One hunt of several: what hunt --gtest does with each test.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/report/report.h"
#include "src/result/result.h"
#include "tools/hunt_arguments.h"

namespace heddle {

struct Hunted {
  int status = 0;     // as heddle hunt would end with it
  ReportedCase told;  // for a report; its suite and name are those of the program
  std::vector<std::vector<std::string>> simplified;  // --simplify: what is said of each of told.failures, in lines
  nlohmann::ordered_json json = nlohmann::ordered_json::object();  // of --json
};

/// Hunts and writes the trace; prints nothing but progress. Errors: the program cannot be controlled.
Result<Hunted> hunt_one(HuntArguments& arguments);

}  // namespace heddle
