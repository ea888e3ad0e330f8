// Parsing that hunt and replay share.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "src/engine/options.h"
#include "src/result/result.h"

namespace heddle {

/// For CLI::Option::check: "nope is none of random, pct".
CLI::Validator one_of(std::vector<std::string> words);

/// "'x' is not a whole number from 1 to 64".
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

/// The line that --help shows behind "Usage:".
void set_usage(CLI::App& app, std::string usage);

/// Parses; help goes to stdout, errors to stderr. The exit status when the verb is over with that.
std::optional<int> parse_options(CLI::App& app, const std::vector<std::string>& arguments);

/// HEDDLE_OPTIONS; an exit status when it is wrong or asks for help.
std::expected<Options, int> host_options(const char* verb);

/// Decimal or 0x...; "" gives a random one.
Result<std::uint64_t> parse_seed(const std::string& text);

}  // namespace heddle
