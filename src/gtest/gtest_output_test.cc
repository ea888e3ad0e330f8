#include "src/gtest/gtest_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GtestList, PlainTypedAndParameterisedTestsAreNamedAsAFilterWantsThem) {
  const auto tests = parse_gtest_list(
      "Running main() from ./googletest/src/gtest_main.cc\n"
      "Queue.\n"
      "  IsEmpty\n"
      "  DISABLED_Slow\n"
      "Typed/0.  # TypeParam = std::vector<int>\n"
      "  Grows\n"
      "Sizes/Ring.\n"
      "  Wraps/0  # GetParam() = (1, \"a.b\")\n"
      "  Wraps/many  # GetParam() = 3\n");
  EXPECT_THAT(tests, ElementsAre(GtestTest{"Queue", "IsEmpty"}, GtestTest{"Queue", "DISABLED_Slow"},
                                 GtestTest{"Typed/0", "Grows"}, GtestTest{"Sizes/Ring", "Wraps/0"},
                                 GtestTest{"Sizes/Ring", "Wraps/many"}));
  EXPECT_EQ(tests[3].full(), "Sizes/Ring.Wraps/0");
}

TEST(GtestList, WhatAProgramSaysBesidesIsNoTest) {
  EXPECT_THAT(parse_gtest_list("usage: x [-v]\n  -v  verbose\n"), IsEmpty());
  EXPECT_THAT(parse_gtest_list("connecting to 10.0.0.1.\n  done\n"), IsEmpty());
  EXPECT_THAT(parse_gtest_list("  Orphan\n"), IsEmpty());
  EXPECT_THAT(parse_gtest_list(""), IsEmpty());
  EXPECT_THAT(parse_gtest_list("A.\r\n  B\r\n"), ElementsAre(GtestTest{"A", "B"}));
}

std::vector<std::string> names_that_run(const std::vector<GtestChoice>& choices) {
  std::vector<std::string> out;
  for (const GtestChoice& choice : choices)
    if (choice.run) out.push_back(choice.test.name);
  return out;
}

TEST(GtestChoices, DisabledTestsAreNotRunAsGoogleTestDoesNotRunThem) {
  const std::vector<GtestTest> all = {{"A", "One"},
                                      {"DISABLED_B", "Two"},
                                      {"I/DISABLED_C", "Three/0"},
                                      {"C", "DISABLED_Four"},
                                      {"C", "NOT_DISABLED_Five"}};
  EXPECT_THAT(names_that_run(choose_gtests(all, false, {})), ElementsAre("One", "NOT_DISABLED_Five"));
  EXPECT_EQ(choose_gtests(all, false, {}).size(), all.size());
  EXPECT_EQ(names_that_run(choose_gtests(all, true, {})).size(), all.size());
}

TEST(GtestChoices, ShardsCountOnlyWhatRuns) {
  const std::vector<GtestTest> all = {{"A", "a"}, {"A", "DISABLED_b"}, {"A", "c"}, {"A", "d"}};
  EXPECT_THAT(names_that_run(choose_gtests(all, false, {2, 0})), ElementsAre("a", "d"));
  EXPECT_THAT(names_that_run(choose_gtests(all, false, {2, 1})), ElementsAre("c"));
}

TEST(GtestFailureText, IsTheFirstFailedExpectationInOneLine) {
  const auto found = find_gtest_failure(
      "[ RUN      ] Bank.Transfers\n"
      "noise: Failure\n"
      "/src/bank test.cc:31: Failure\n"
      "Expected equality of these values:\n"
      "  balance\n"
      "    Which is: 90\n"
      "  100\n"
      "\n"
      "/src/other.cc:2: Failure\nValue of: x\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, "/src/bank test.cc");
  EXPECT_EQ(found->line, 31u);
  EXPECT_EQ(found->text, "Expected equality of these values: balance Which is: 90 100");
  EXPECT_EQ(found->expectation, "Expected equality of these values: balance 100");
  EXPECT_FALSE(find_gtest_failure("x:y: Failure\n: Failure\nx:1 Failure\n"));
}

TEST(GtestFailureText, TheExpectationIsWhatStaysFromRunToRun) {
  const auto expectation = [](const std::string& said) {
    return find_gtest_failure("a.cc:1: Failure\n" + said)->expectation;
  };
  EXPECT_EQ(expectation("Expected: (shop.stock()) >= (0), actual: -1 vs 0\nsold 3\n"),
            "Expected: (shop.stock()) >= (0)");
  EXPECT_EQ(expectation("Value of: done[3]\n  Actual: false\nExpected: true\nafter 7\n"),
            "Value of: done[3] Expected: true");
  EXPECT_EQ(expectation("Failed\nlost 3 of 0x10, thread2\n"), "Failed lost # of #, thread2");
  EXPECT_EQ(expectation("The difference between a and b is 0.25, which exceeds c\n"),
            "The difference between a and b is #, which exceeds c");
  EXPECT_EQ(expectation(""), "");
}

TEST(GtestFailureText, AnExceptionHasNoPlace) {
  const auto found =
      find_gtest_failure("unknown file: Failure\nC++ exception with description \"c\" thrown in the test body.\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, "");
  EXPECT_EQ(found->text, "C++ exception with description \"c\" thrown in the test body.");
}

}  // namespace
}  // namespace heddle
