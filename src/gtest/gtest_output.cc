#include "src/gtest/gtest_output.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace heddle {
namespace {

constexpr std::size_t kMostText = 4000;

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '/';
  });
}

std::string_view without_comment(std::string_view line) {
  if (const std::size_t comment = line.find("  # "); comment != line.npos) line = line.substr(0, comment);
  return line.substr(0, line.find_last_not_of(" \r") + 1);
}

/// Takes the first line off `text`.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

/// "DISABLED_A", "Instance/DISABLED_A"
bool is_disabled(std::string_view name) {
  return name.starts_with("DISABLED_") || name.find("/DISABLED_") != name.npos;
}

/// "queue_test.cc:31: Failure"
std::optional<GtestFailure> failure_line(std::string_view line) {
  constexpr std::string_view kEnd = ": Failure", kException = "unknown file: Failure";
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line == kException) return GtestFailure{};
  if (!line.ends_with(kEnd)) return std::nullopt;
  line.remove_suffix(kEnd.size());
  const std::size_t colon = line.rfind(':');
  if (colon == line.npos || colon == 0) return std::nullopt;
  GtestFailure failure;
  const std::string_view digits = line.substr(colon + 1);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), failure.line);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  failure.file = line.substr(0, colon);
  return failure;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

/// "lost 3 of 0x10, thread2" -> "lost # of #, thread2"
std::string without_numbers(std::string_view text) {
  std::string out;
  const auto is = [&](std::size_t i, auto test) {
    return i < text.size() && test(static_cast<unsigned char>(text[i]));
  };
  const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  for (std::size_t i = 0; i < text.size();) {
    const bool number = is(i, [](unsigned char c) { return std::isdigit(c) != 0; }) && (i == 0 || !is(i - 1, is_word));
    if (!number) {
      out += text[i++];
      continue;
    }
    out += '#';
    while (is(i, is_word) || (is(i, [](unsigned char c) { return c == '.'; }) && is(i + 1, is_word))) i++;
  }
  return out;
}

/// What GoogleTest wrote about one expectation, line by line, without what may differ in the next run.
std::string expectation_of(const std::vector<std::string_view>& lines) {
  if (lines.empty()) return {};
  const std::string_view first = trimmed(lines.front());
  std::string out(first);
  const auto add = [&](std::string_view line) { out.append(" ").append(trimmed(line)); };
  if (first == "Expected equality of these values:") {
    for (std::size_t i = 1; i < lines.size() && lines[i].starts_with("  "); i++)
      if (!lines[i].starts_with("   ")) add(lines[i]);  // deeper: "Which is: 1"
  } else if (const std::size_t actual = first.find(", actual: "); actual != first.npos) {
    out.resize(actual);
  } else if (first.starts_with("Value of: ")) {
    for (std::size_t i = 1; i < lines.size() && i < 3; i++)
      if (trimmed(lines[i]).starts_with("Expected: ")) add(lines[i]);
  } else if (first == "Failed") {
    for (std::size_t i = 1; i < lines.size(); i++) add(lines[i]);
    return without_numbers(out);
  } else if (!first.starts_with("Expected: ")) {
    return without_numbers(out);
  }
  return out;
}

}  // namespace

bool GtestTest::disabled() const { return is_disabled(suite) || is_disabled(name); }

std::vector<GtestTest> parse_gtest_list(std::string_view output) {
  std::vector<GtestTest> tests;
  std::string suite;
  while (!output.empty()) {
    const std::string_view line = without_comment(next_line(output));
    if (line.starts_with("  ")) {
      if (!suite.empty() && is_name(line.substr(2))) tests.push_back({suite, std::string(line.substr(2))});
    } else if (line.ends_with('.') && is_name(line.substr(0, line.size() - 1))) {
      suite = line.substr(0, line.size() - 1);
    } else {
      suite.clear();
    }
  }
  return tests;
}

std::optional<GtestFailure> find_gtest_failure(std::string_view output) {
  while (!output.empty()) {
    auto failure = failure_line(next_line(output));
    if (!failure) continue;
    std::vector<std::string_view> lines;
    while (!output.empty() && failure->text.size() < kMostText) {
      const std::string_view line = next_line(output);
      if (line.starts_with("[  FAILED  ]") || trimmed(line).empty() || failure_line(line)) break;
      failure->text.append(failure->text.empty() ? "" : " ").append(trimmed(line));
      lines.push_back(line);
    }
    failure->expectation = expectation_of(lines);
    return failure;
  }
  return std::nullopt;
}

std::vector<GtestChoice> choose_gtests(const std::vector<GtestTest>& all, bool disabled_too, GtestShard shard) {
  std::vector<GtestChoice> out;
  std::uint64_t number = 0;
  for (const GtestTest& test : all) {
    const bool run = disabled_too || !test.disabled();
    if (!run || shard.total < 2 || number++ % shard.total == shard.index) out.push_back({test, run});
  }
  return out;
}

}  // namespace heddle
