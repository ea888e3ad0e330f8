// Runs commands to their end.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "src/result/result.h"

namespace heddle {

struct Said {
  int status = -1;  // exit status; 128 + signal; -1: not started, or not ended in time
  std::string out, err;
};

/// The command and everything that it started in its session is killed after `limit`.
Said run_command(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                 const std::filesystem::path& folder, std::chrono::seconds limit);

/// Runs `command` with /bin/sh; what it writes goes to stderr. Errors: it failed. Nothing to do when it is empty.
Status run_in_shell(const std::string& command);

/// The last line of `text` that is not blank.
std::string last_line_of(const std::string& text);

}  // namespace heddle
