#include "src/engine/options.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "src/trace/detail.h"

namespace heddle {
namespace {

using Backend = Options::Backend;
using Detail = Options::Detail;

constexpr std::string_view kAsMuchAsIsReasonable = "auto";

// Each type: what it may be, from text, to text.
template <class T>
struct Choices;
template <>
struct Choices<Backend> {
  static constexpr std::pair<std::string_view, Backend> all[] = {{"baton", Backend::kBaton},
                                                                 {"fibers", Backend::kFibers}};
};
template <>
struct Choices<bool> {
  static constexpr std::pair<std::string_view, bool> all[] = {{"0", false}, {"1", true}};
};

template <class T>
std::string domain(const T*) {
  std::string out;
  for (const auto& [name, value] : Choices<T>::all) out += (out.empty() ? "" : "|") + std::string(name);
  return out;
}
std::string domain(const Detail*) {
  return fmt::format("{}|{}, also joined by +", kAsMuchAsIsReasonable, detail_words());
}
std::string domain(const std::uint64_t*) { return "number"; }
std::string domain(const std::chrono::milliseconds*) { return "duration"; }

template <class T>
std::optional<T> from_text(std::string_view text, const T*) {
  for (const auto& [name, value] : Choices<T>::all)
    if (name == text) return value;
  return std::nullopt;
}
std::optional<Detail> from_text(std::string_view text, const Detail*) {
  if (text == kAsMuchAsIsReasonable) return Detail{};
  const std::optional<std::uint32_t> bits = parse_detail(text);
  return bits ? std::optional(Detail{bits}) : std::nullopt;
}
std::optional<std::uint64_t> from_text(std::string_view text, const std::uint64_t*) {
  std::uint64_t value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}
std::optional<std::chrono::milliseconds> from_text(std::string_view text, const std::chrono::milliseconds*) {
  auto value = parse_duration(text);
  return value ? std::optional(*value) : std::nullopt;
}

template <class T>
std::string to_text(const T& value) {
  for (const auto& [name, each] : Choices<T>::all)
    if (each == value) return std::string(name);
  return {};
}
std::string to_text(const Detail& value) {
  return value.bits ? detail_text(*value.bits) : std::string(kAsMuchAsIsReasonable);
}
std::string to_text(const std::uint64_t& value) { return std::to_string(value); }
std::string to_text(const std::chrono::milliseconds& value) { return fmt::format("{}ms", value.count()); }

template <class T>
Status assign(T& field, std::string_view key, std::string_view value) {
  std::optional<T> parsed = from_text(value, static_cast<const T*>(nullptr));
  if (!parsed)
    return error(fmt::format("HEDDLE_OPTIONS: invalid value of {}: expected {}, not '{}'", key,
                             domain(static_cast<const T*>(nullptr)), value));
  field = *parsed;
  return {};
}

Status apply_one(Options& options, std::string_view item) {
  std::size_t equals = item.find('=');
  std::string_view key = item.substr(0, equals);
  std::string_view value = equals == item.npos ? std::string_view("1") : item.substr(equals + 1);
  if (key == "help") return assign(options.help, key, value);
#define HEDDLE_OPTION(name, type, default_value, help_line) \
  if (key == #name) return assign(options.name, key, value);
#include "src/engine/options.def"
#undef HEDDLE_OPTION
  if (key == "log" || key.starts_with("log_"))
    return error(fmt::format("HEDDLE_OPTIONS: {} applies only to programs that run without heddle", key),
                 "start the program directly, or leave it out");
  return error(fmt::format("HEDDLE_OPTIONS: unknown option {}", key), "HEDDLE_OPTIONS=help=1 lists all");
}

}  // namespace

Status Options::apply(std::string_view text) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find(':'), text.size());
    if (end > 0)
      if (Status status = apply_one(*this, text.substr(0, end)); !status) return status;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

Result<Options> Options::parse(std::string_view text) {
  Options options;
  if (Status status = options.apply(text); !status) return std::unexpected(status.error());
  return options;
}

std::string Options::text() const {
  const Options defaults;
  std::string out;
#define HEDDLE_OPTION(name, type, default_value, help_line) \
  if (name != defaults.name) out += fmt::format("{}{}={}", out.empty() ? "" : ":", #name, to_text(name));
#include "src/engine/options.def"
#undef HEDDLE_OPTION
  return out;
}

std::string Options::help_text() {
  const Options defaults;
  std::string out;
#define HEDDLE_OPTION(name, type, default_value, help_line)                                                \
  out += fmt::format("  {}={} (default {})\n      {}\n", #name, domain(static_cast<const type*>(nullptr)), \
                     to_text(defaults.name), help_line);
#include "src/engine/options.def"
#undef HEDDLE_OPTION
  return out;
}

void Options::fill(HeddleRun& run) const {
  run.backend = backend == Backend::kFibers ? HEDDLE_BACKEND_FIBERS : HEDDLE_BACKEND_BATON;
  run.virtual_cpus = static_cast<std::uint32_t>(virtual_cpus);
  run.time_base_ns = time_base * 1'000'000'000ull;
  run.fork_at_mark = fork_at_mark;
  run.fail_on_race = fail_on_race;
  run.pin_cpu = -1;
  run.max_steps = max_steps;
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  double value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1000},    {"s", 1000},     {"ms", 1},
                                                                   {"m", 60'000}, {"min", 60'000}, {"h", 3'600'000}};
  for (const auto& [name, factor] : kUnits) {
    if (problem != std::errc() || unit != name || !std::isfinite(value) || value < 0 || value * factor > 1e13) continue;
    return std::chrono::milliseconds(std::llround(value * factor));
  }
  return error(fmt::format("invalid duration '{}': expected a duration such as 30s, 5m or 500ms", text));
}

}  // namespace heddle
