// What hunts found, as plain values for the reports that continuous integration reads (junit.h, sarif.h).
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/show/race_groups.h"
#include "src/trace/trace.h"

namespace heddle {

struct ReportedFailure {
  FailureRecord failure;
  std::filesystem::path trace;
  std::string replay;     // the line that replays it
  std::uint64_t run = 0;  // the first that failed in this way; from 1
};

enum class Verdict {
  kPassed,
  kFailed,
  kInconclusive,  // nothing is known: found once and not again, or no run ended
  kNotTested,     // the program could not be hunted in
  kSkipped,       // nobody wanted it hunted
};

/// One hunt: a program, or one test of a GoogleTest program.
struct ReportedCase {
  std::string suite, name;  // "Queue", "TakesInOrder/0"; of a program: its name, its name and arguments
  Verdict verdict = Verdict::kPassed;
  std::string why;  // in one line, for all but kPassed and kFailed
  std::uint64_t runs = 0;
  double seconds = 0;
  std::vector<ReportedFailure> failures;  // distinct; of an inconclusive hunt: what was seen once
  std::vector<RaceRecord> races;
  std::vector<std::string> notes;
  std::string output;  // of the program in the failing run
};

struct Report {
  std::string heddle_version;
  std::string command;  // the user's, as a shell line
  std::string program;  // its path
  std::string strategy;
  std::uint64_t seed = 0;
  std::string started, ended;         // 2026-11-16T10:00:00Z
  std::filesystem::path cwd;          // where the program was started
  std::filesystem::path source_root;  // files below it are named relative to it
  int exit_status = 0;
  std::vector<ReportedCase> cases;
};

/// "queue.cc:14 in take, thread 0.3", as far as it is known.
std::string place_text(const FailureRecord& failure);

/// "write hits.c:7 in serve (thread 0.1)": where the user's own code made the access.
std::string access_text(const RaceAccess& access);

}  // namespace heddle
