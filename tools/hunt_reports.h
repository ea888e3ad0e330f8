// heddle hunt --junit F --sarif F: files for continuous integration.
#pragma once
#include <string>
#include <vector>

#include "src/report/report.h"
#include "src/result/result.h"

namespace heddle {

class CommandLine;
struct HuntArguments;

struct HuntReports {
  std::string junit, sarif;      // files; empty: not wanted
  std::string command, started;  // what the user typed, and when
  bool wanted() const { return !junit.empty() || !sarif.empty(); }
};

void declare_reports(CommandLine& line, HuntReports& reports);
/// Found out before the work, not behind it.
Status can_write_reports(const HuntReports& reports);

/// Writes what was asked for. Returns `status`, or what it becomes when a file could not be written: a found failure
/// stays found. Tells errors.
int write_reports(const HuntArguments& arguments, std::vector<ReportedCase> cases, int status);

/// The case of a program as a whole: called by its name, and by its name and arguments.
ReportedCase program_case(const HuntArguments& arguments);

/// "heddle hunt: why", the same in the reports; returns the exit status 2.
int report_not_tested(const HuntArguments& arguments, const Error& why);

}  // namespace heddle
