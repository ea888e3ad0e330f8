// The command line of a verb, and the parsing that verbs share.
#pragma once
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/options.h"
#include "src/result/result.h"

namespace heddle {

/// The options of one verb. Each is declared with the variable that it fills; --help lists them in that order. The
/// parser behind it (CLI11) is known to options.cc only, because its header costs seconds per file.
class CommandLine {
 public:
  /// `name`: "heddle hunt". `usage`: the line behind "Usage:". `footer`: what --help prints below the options.
  CommandLine(std::string name, std::string summary, std::string usage, std::string footer);
  ~CommandLine();

  /// An argument that has to be there.
  void argument(std::string name, std::string& value, std::string help);
  /// `names` here and below: "--seed N", or "-o,--output FILE", with the name that --help gives the value.
  void text(const std::string& names, std::string& value, std::string help);
  /// One of `words`; another one is an error: "invalid value 'nope': expected one of random, pct".
  void choice(const std::string& names, std::string& value, std::vector<std::string> words, std::string help);
  /// A whole number; others are errors: "invalid number 'x': expected a whole number from 1 to 64". Number may be
  /// optional<...>.
  template <typename Number>
  void number(const std::string& names, Number& value, std::uint64_t least, std::uint64_t most, std::string help) {
    whole_number(names, [&value](std::uint64_t given) { value = given; }, least, most, std::move(help));
  }
  /// Folders that exist; may be given several times.
  void folders(const std::string& names, std::vector<std::string>& values, std::string help);
  void flag(std::string names, bool& value, std::string help);
  /// Not listed by --help.
  void hidden_flag(std::string names, bool& value);

  /// Help goes to stdout, errors to stderr. The exit status when the verb is over with that.
  std::optional<int> parse(const std::vector<std::string>& arguments);

 private:
  void whole_number(const std::string& names, std::function<void(std::uint64_t)> assign, std::uint64_t least,
                    std::uint64_t most, std::string help);

  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// HEDDLE_OPTIONS; an exit status when it is wrong or asks for help.
std::expected<Options, int> host_options(const char* verb);

/// Decimal or 0x...; "" gives a random one.
Result<std::uint64_t> parse_seed(const std::string& text);

}  // namespace heddle
