// What a GoogleTest program says: its list of tests, and why a test failed. Both are untrusted text among other output.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct GtestTest {
  std::string suite, name;  // "Pairs/QueueTest", "Takes/0"
  /// As --gtest_filter wants it.
  std::string full() const { return suite + "." + name; }
  /// Suite or test is called DISABLED_..., with or without the prefix of an instantiation.
  bool disabled() const;
  bool operator==(const GtestTest&) const = default;
};

/// The answer to --gtest_list_tests; lines that are no part of the list are ignored.
std::vector<GtestTest> parse_gtest_list(std::string_view output);

struct GtestFailure {
  std::string file;  // as the compiler was told it; "" and line 0: an exception left the test
  std::uint32_t line = 0;
  std::string text;         // "Expected equality of these values: n Which is: 1 2", in one line
  std::string expectation;  // the part that stays from run to run: "Expected equality of these values: n 2"
};

/// The first failed expectation in a program's output.
std::optional<GtestFailure> find_gtest_failure(std::string_view output);

/// How a runner of tests spreads them over machines: GTEST_TOTAL_SHARDS, GTEST_SHARD_INDEX.
struct GtestShard {
  std::uint64_t total = 1, index = 0;
};

/// The tests of this shard in the order of the list; those that GoogleTest itself would not run (disabled, unless
/// `disabled_too`) belong to every shard.
struct GtestChoice {
  GtestTest test;
  bool run = true;
};
std::vector<GtestChoice> choose_gtests(const std::vector<GtestTest>& all, bool disabled_too, GtestShard shard);

}  // namespace heddle
