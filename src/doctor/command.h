// Runs a command to its end and keeps what it said.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle {

struct Said {
  int status = -1;  // exit status; 128 + signal; -1: not started, or not ended in time
  std::string out, err;
};

/// The command and everything that it started in its session is killed after `limit`.
Said run_command(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                 const std::filesystem::path& folder, std::chrono::seconds limit);

/// The last line of `text` that is not blank.
std::string last_line_of(const std::string& text);

}  // namespace heddle
