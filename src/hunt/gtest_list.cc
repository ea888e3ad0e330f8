#include "src/hunt/gtest_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "src/engine/command.h"
#include "src/show/words.h"

namespace heddle {
namespace {

constexpr std::chrono::seconds kListLimit{60};

/// What a runner of tests tells the program about all its tests: wrong for one test that runs many times.
constexpr std::string_view kNotForOneTest[] = {
    "GTEST_TOTAL_SHARDS=", "GTEST_SHARD_INDEX=", "GTEST_SHARD_STATUS_FILE=", "GTEST_OUTPUT=", "XML_OUTPUT_FILE="};

std::optional<std::string_view> value_in(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string_view entry : environment)
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) return entry.substr(name.size() + 1);
  return std::nullopt;
}

std::uint64_t number_in(const std::vector<std::string>& environment, std::string_view name, std::uint64_t otherwise) {
  const std::string_view text = value_in(environment, name).value_or("");
  std::uint64_t value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc() ? value : otherwise;
}

/// As GoogleTest reads it, in the variable and behind the flag.
bool wants_disabled(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  constexpr std::string_view kFlag = "--gtest_also_run_disabled_tests";
  bool wanted = value_in(environment, "GTEST_ALSO_RUN_DISABLED_TESTS").value_or("0") != "0";
  for (std::string_view word : argv) {  // the last one counts
    if (!word.starts_with(kFlag)) continue;
    word.remove_prefix(kFlag.size());
    if (word.empty() || word == "=")
      wanted = true;
    else if (word.front() == '=')
      wanted = word[1] != '0' && word[1] != 'f' && word[1] != 'F';
  }
  return wanted;
}

/// What chooses the tests, as GoogleTest reads it; "" when nobody said.
std::string filter_of(const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  constexpr std::string_view kFlag = "--gtest_filter=";
  std::string filter(value_in(environment, "GTEST_FILTER").value_or(""));
  for (std::string_view word : argv)
    if (word.starts_with(kFlag)) filter = word.substr(kFlag.size());
  return filter;
}

}  // namespace

std::vector<std::string> environment_of_one_test(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& variable) {
    return std::ranges::any_of(kNotForOneTest, [&](std::string_view name) { return variable.starts_with(name); });
  });
  return environment;
}

Result<std::vector<GtestChoice>> gtests_of(const Launch& launch, const std::vector<std::string>& environment) {
  std::vector<std::string> argv = launch.argv;
  argv.front() = launch.program.string();
  argv.push_back("--gtest_list_tests");
  const Said said = run_command(argv, launch.environment, launch.cwd, kListLimit);
  if (said.status != 0)
    return error(fmt::format("{} --gtest_list_tests {}", launch.argv.front(),
                             said.status < 0 ? fmt::format("did not end in {} s", kListLimit.count())
                                             : fmt::format("ended with status {}: {}", said.status,
                                                           last_line_of(said.err.empty() ? said.out : said.err))),
                 "--gtest is for GoogleTest programs");
  const std::vector<GtestTest> all = parse_gtest_list(said.out);
  if (const std::string filter = filter_of(argv, environment); all.empty() && !filter.empty()) {
    argv.push_back("--gtest_filter=*");  // the last one counts
    const Said whole = run_command(argv, launch.environment, launch.cwd, kListLimit);
    if (const std::size_t n = parse_gtest_list(whole.out).size(); whole.status == 0 && n > 0)
      return error(
          fmt::format("the filter {} matches none of the {} of {}", filter, counted("test", n), launch.argv.front()),
          fmt::format("{} --gtest_list_tests '--gtest_filter=*' lists them", launch.argv.front()));
  }
  if (all.empty())
    return error(fmt::format("{} --gtest_list_tests lists no tests", launch.argv.front()),
                 "--gtest is for GoogleTest programs");
  const GtestShard shard{number_in(environment, "GTEST_TOTAL_SHARDS", 1),
                         number_in(environment, "GTEST_SHARD_INDEX", 0)};
  return choose_gtests(all, wants_disabled(argv, environment), shard);
}

}  // namespace heddle
