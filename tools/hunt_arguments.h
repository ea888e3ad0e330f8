// The command line of heddle hunt.
#pragma once
#include <optional>
#include <string>

#include "src/hunt/find.h"
#include "tools/hunt_reports.h"

namespace heddle {

/// What is searched for, and how it is told.
struct HuntArguments : FindTask {
  std::string strategy = "auto", points = "racy";
  bool json = false, quiet = false;
  HuntReports reports;
  bool gtest = false, bisect = false;
  bool understood = false;  // the options make sense: what is wrong then is wrong with the program
};

/// Errors are told here; the exit status then, or after --help.
std::optional<int> parse_hunt(int argc, char** argv, HuntArguments& out);

}  // namespace heddle
