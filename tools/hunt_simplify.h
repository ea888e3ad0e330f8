// heddle hunt --simplify, in words and as JSON.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/hunt/simplify_finding.h"

namespace heddle {

/// What is left, a line each: for the middle of what the hunt says.
std::vector<std::string> simplified_lines(const SimplifiedFinding& finding, const std::string& trace);
nlohmann::ordered_json simplified_json(const SimplifiedFinding& finding, const std::filesystem::path& trace);

}  // namespace heddle
