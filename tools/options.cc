#include "tools/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "tools/did_you_mean.h"
#include "tools/status.h"
#include "tools/terminal.h"

namespace heddle {
namespace {

class Formatter : public CLI::Formatter {
 public:
  explicit Formatter(std::string usage) : usage_(std::move(usage)) { column_width(26); }
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }
  std::string make_option_opts(const CLI::Option*) const override {
    return "";
  }  // what it may be is in its description

 private:
  std::string usage_;
};

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

// A format is often taken for an option: "; did you mean --format html?"
std::string meant(const std::string& word, const std::vector<std::string>& known) {
  for (const char* format : {"html", "perfetto", "text"})
    if (word == std::string("--") + format && std::ranges::find(known, "--format") != known.end())
      return fmt::format("; did you mean --format {}?", format);
  return did_you_mean(word, known);
}

std::string not_one_of(const std::vector<std::string>& words, const std::string& given) {
  if (std::ranges::find(words, given) != words.end()) return "";
  return fmt::format("{} is none of {}{}", given, fmt::join(words, ", "), did_you_mean(given, words));
}

std::string not_whole_number(std::uint64_t least, std::uint64_t most, const std::string& given) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (problem == std::errc() && end == given.data() + given.size() && value >= least && value <= most) return "";
  return most == std::numeric_limits<std::uint64_t>::max()
             ? fmt::format("'{}' is not a whole number, {} or more", given, least)
             : fmt::format("'{}' is not a whole number from {} to {}", given, least, most);
}

}  // namespace

struct CommandLine::Parser {
  Parser(std::string name, std::string summary) : app(std::move(summary), std::move(name)) {}
  CLI::App app;
};

CommandLine::CommandLine(std::string name, std::string summary, std::string usage, std::string footer)
    : parser_(std::make_unique<Parser>(std::move(name), std::move(summary))) {
  parser_->app.formatter(std::make_shared<Formatter>(std::move(usage)));
  parser_->app.footer(std::move(footer));
}

CommandLine::~CommandLine() = default;

void CommandLine::argument(std::string name, std::string& value, std::string help) {
  parser_->app.add_option(std::move(name), value, std::move(help))->required();
}

void CommandLine::text(std::string names, std::string& value, std::string help) {
  parser_->app.add_option(std::move(names), value, std::move(help));
}

void CommandLine::choice(std::string names, std::string& value, std::vector<std::string> words, std::string help) {
  const auto problem = [words = std::move(words)](std::string& given) { return not_one_of(words, given); };
  parser_->app.add_option(std::move(names), value, std::move(help))->check(CLI::Validator(problem, ""));
}

void CommandLine::whole_number(std::string names, std::function<void(std::uint64_t)> assign, std::uint64_t least,
                               std::uint64_t most, std::string help) {
  const auto problem = [least, most](std::string& given) { return not_whole_number(least, most, given); };
  parser_->app.add_option_function<std::uint64_t>(std::move(names), std::move(assign), std::move(help))
      ->check(CLI::Validator(problem, ""));
}

void CommandLine::folders(std::string names, std::vector<std::string>& values, std::string help) {
  parser_->app.add_option(std::move(names), values, std::move(help))->check(CLI::ExistingDirectory);
}

void CommandLine::flag(std::string names, bool& value, std::string help) {
  parser_->app.add_flag(std::move(names), value, std::move(help));
}

void CommandLine::hidden_flag(std::string names, bool& value) {
  parser_->app.add_flag(std::move(names), value)->group("");
}

std::optional<int> CommandLine::parse(const std::vector<std::string>& arguments) {
  CLI::App& app = parser_->app;
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
  try {
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return kClean;
  } catch (const CLI::ParseError& problem) {
    const std::string verb = app.get_name().substr(app.get_name().rfind(' ') + 1);
    const std::vector<std::string> rest = app.remaining();
    const std::string usage = app.get_formatter()->make_help(&app, "", CLI::AppFormatMode::Normal);
    if (!rest.empty() && !rest.front().starts_with('-') && usage.contains("-- PROG ARGS")) {
      std::vector<std::string> repaired = arguments;
      repaired.insert(std::ranges::find(repaired, rest.front()), "--");
      return report_error(verb, {"put -- before the program", app.get_name() + " " + shell_line(repaired)});
    }
    if (!rest.empty()) {  // CLI11 names what it did not expect from the last to the first
      const bool option = rest.front().starts_with('-');
      return report_error(verb,
                          {fmt::format("{} is {}{}", rest.front(), option ? "not an option" : "one argument too many",
                                       option ? meant(rest.front(), options_of(app)) : ""),
                           app.get_name() + " --help"});
    }
    return report_error(verb, {problem.what(), app.get_name() + " --help"});
  }
}

std::expected<Options, int> host_options(const char* verb) {
  const char* text = std::getenv("HEDDLE_OPTIONS");
  Result<Options> options = Options::parse(text ? text : "");
  if (!options) return std::unexpected(report_error(verb, options.error()));
  if (!options->help) return *options;
  fmt::print("HEDDLE_OPTIONS=key=value:key=value\n{}", Options::help_text());
  return std::unexpected(static_cast<int>(kClean));
}

Result<std::uint64_t> parse_seed(const std::string& text) {
  if (text.empty()) return std::random_device{}();
  bool hex = text.starts_with("0x");
  std::uint64_t value = 0;
  const char *first = text.data() + (hex ? 2 : 0), *last = text.data() + text.size();
  auto [end, problem] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (problem != std::errc() || end != last || first == last)
    return error(fmt::format("'{}' is not a seed: a number is", text));
  return value;
}

}  // namespace heddle
