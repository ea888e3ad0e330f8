// The command line of heddle hunt.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "src/hunt/hunt.h"
#include "src/program/program.h"
#include "tools/hunt_reports.h"
#include "tools/terminal.h"

namespace heddle {

struct HuntArguments {
  HuntRequest request;
  std::filesystem::path trace;
  bool trace_is_named = false;  // by -o: what is there is replaced
  ProgramInfo program;
  std::optional<StandardInput> input;  // what every run of the program reads
  std::string strategy = "auto", points = "racy";
  bool json = false, quiet = false;
  bool simplify = false;
  HuntReports reports;
  bool gtest = false, bisect = false;
  bool understood = false;  // the options make sense: what is wrong then is wrong with the program
};

/// Errors are told here; the exit status then, or after --help.
std::optional<int> parse_hunt(int argc, char** argv, HuntArguments& out);

}  // namespace heddle
