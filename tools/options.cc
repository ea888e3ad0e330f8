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
  explicit Formatter(std::string usage) : usage_(std::move(usage)) {
    column_width(kColumn);
    label("Positionals", "Arguments");
  }
  std::string make_usage(const CLI::App*, std::string) const override { return "\nUsage: " + usage_ + "\n"; }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }
  std::string make_option_desc(const CLI::Option* option) const override { return wrapped(option->get_description()); }
  // CLI11's own separates the footer by one to three blank lines.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string help = make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
    help += make_groups(app, mode);
    help.erase(help.find_last_not_of('\n') + 1);
    return help + "\n" + make_footer(app);
  }

 private:
  static constexpr std::size_t kColumn = 26, kWidth = 118;

  static std::string wrapped(const std::string& text) {
    std::string out;
    std::size_t used = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      if (used > 0) {
        const bool fits = kColumn + used + 1 + end - at <= kWidth;
        out += fits ? ' ' : '\n';
        used = fits ? used + 1 : 0;
      }
      out += text.substr(at, end - at);
      used += end - at;
      at = end + 1;
    }
    return out;
  }

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
  return fmt::format("invalid value '{}': expected one of {}{}", given, fmt::join(words, ", "),
                     did_you_mean(given, words));
}

std::string not_whole_number(std::uint64_t least, std::uint64_t most, const std::string& given) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (problem == std::errc() && end == given.data() + given.size() && value >= least && value <= most) return "";
  return most == std::numeric_limits<std::uint64_t>::max()
             ? fmt::format("invalid number '{}': expected a whole number of at least {}", given, least)
             : fmt::format("invalid number '{}': expected a whole number from {} to {}", given, least, most);
}

// CLI11 says "--seed: 1 required TEXT missing" if there is no value, and "At Most 1 required" if there are two.
std::string message_of(const CLI::ParseError& problem) {
  const std::string text = problem.what();
  const bool wrong_count = dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr;
  return wrong_count && text.contains(": ") ? text.substr(0, text.find(": ")) + " needs one value" : text;
}

// "--runs N": names for the parser, and the name of the value for --help.
struct Names {
  explicit Names(const std::string& text)
      : names(text.substr(0, text.find(' '))), value(names.size() < text.size() ? text.substr(names.size() + 1) : "") {}
  std::string names, value;
};

}  // namespace

struct CommandLine::Parser {
  Parser(std::string name, std::string summary) : app(std::move(summary), std::move(name)) {
    app.set_help_flag("-h,--help", "print this help and exit");
  }
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

void CommandLine::text(const std::string& names, std::string& value, std::string help) {
  const Names split(names);
  parser_->app.add_option(split.names, value, std::move(help))->option_text(split.value);
}

void CommandLine::choice(const std::string& names, std::string& value, std::vector<std::string> words,
                         std::string help) {
  const Names split(names);
  const auto problem = [words = std::move(words)](std::string& given) { return not_one_of(words, given); };
  parser_->app.add_option(split.names, value, std::move(help))
      ->option_text(split.value)
      ->check(CLI::Validator(problem, ""));
}

void CommandLine::whole_number(const std::string& names, std::function<void(std::uint64_t)> assign, std::uint64_t least,
                               std::uint64_t most, std::string help) {
  const Names split(names);
  const auto problem = [least, most](std::string& given) { return not_whole_number(least, most, given); };
  parser_->app.add_option_function<std::uint64_t>(split.names, std::move(assign), std::move(help))
      ->option_text(split.value)
      ->check(CLI::Validator(problem, ""));
}

void CommandLine::folders(const std::string& names, std::vector<std::string>& values, std::string help) {
  const Names split(names);
  parser_->app.add_option(split.names, values, std::move(help))
      ->option_text(split.value)
      ->check(CLI::ExistingDirectory);
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
                          {fmt::format("{} is {}{}", rest.front(), option ? "not an option" : "an unexpected argument",
                                       option ? meant(rest.front(), options_of(app)) : ""),
                           app.get_name() + " --help"});
    }
    return report_error(verb, {message_of(problem), app.get_name() + " --help"});
  }
}

std::expected<Options, int> host_options(const char* verb) {
  const char* text = std::getenv("HEDDLE_OPTIONS");
  Result<Options> options = Options::parse(text ? text : "");
  if (!options) return std::unexpected(report_error(verb, options.error()));
  if (!options->help) return *options;
  fmt::print("Usage: HEDDLE_OPTIONS=key=value:key=value heddle VERB ...\n\n{}", Options::help_text());
  return std::unexpected(static_cast<int>(kClean));
}

Result<std::uint64_t> parse_seed(const std::string& text) {
  if (text.empty()) return std::random_device{}();
  bool hex = text.starts_with("0x");
  std::uint64_t value = 0;
  const char *first = text.data() + (hex ? 2 : 0), *last = text.data() + text.size();
  auto [end, problem] = std::from_chars(first, last, value, hex ? 16 : 10);
  if (problem != std::errc() || end != last || first == last)
    return error(fmt::format("invalid seed '{}': expected a number", text), "--seed 17, or --seed 0x11");
  return value;
}

}  // namespace heddle
