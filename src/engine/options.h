// Options of an execution that are no command-line options of a verb: HEDDLE_OPTIONS, parsed by the host into run
// parameters.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "abi/region.h"
#include "src/result/result.h"

namespace heddle {

struct Options {
  enum class Backend { kBaton, kFibers };
  struct Detail {
    std::optional<std::uint32_t> bits;  // HEDDLE_DETAIL_*; nullopt: as much as is reasonable
    bool operator==(const Detail&) const = default;
  };
  using Count = std::uint64_t;
  using Flag = bool;
  using Duration = std::chrono::milliseconds;

#define HEDDLE_OPTION(key, type, default_value, help) type key = default_value;
#include "src/engine/options.def"
#undef HEDDLE_OPTION
  bool help = false;  // help=1 was asked for

  /// "" gives the defaults. Errors name the key and what it may be.
  static Result<Options> parse(std::string_view text);
  /// Parses on top of what is set already (the options of a trace, then those of the user).
  Status apply(std::string_view text);
  /// parse(text()) == *this; only what differs from the defaults.
  std::string text() const;
  /// One line per option: key, what it may be, default, help.
  static std::string help_text();
  bool operator==(const Options&) const = default;

  /// Sets the fields of `run` that options decide.
  void fill(HeddleRun& run) const;
};

/// "500ms", "30s", "5m", "1h", plain numbers are seconds; fractions are fine.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace heddle
