#include "src/engine/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/failure/same_failure.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

RunOutcome exited(int status, std::string output = {}) {
  RunOutcome outcome;
  outcome.wait_status = status << 8;
  outcome.output.text = std::move(output);
  if (status != 0) outcome.failure.emplace().kind = HEDDLE_FAIL_EXIT;
  return outcome;
}

bool fails(const char* exits, const char* regex, RunOutcome outcome) {
  FailureConditions::create(exits, regex).value().judge(outcome);
  return outcome.failure.has_value();
}

TEST(Conditions, ListedStatusesAndOnlyTheyAreFailures) {
  EXPECT_TRUE(fails("any", "", exited(3)));
  EXPECT_FALSE(fails("any", "", exited(0)));
  EXPECT_FALSE(fails("none", "", exited(3)));
  EXPECT_TRUE(fails("3,4", "", exited(4)));
  EXPECT_FALSE(fails("3,4", "", exited(5)));
  EXPECT_TRUE(fails("0", "", exited(0)));
}

TEST(Conditions, ACrashIsAFailureWhateverIsListed) {
  RunOutcome outcome;
  outcome.wait_status = SIGSEGV;
  outcome.failure.emplace().kind = HEDDLE_FAIL_SEGFAULT;
  EXPECT_TRUE(fails("none", "", outcome));
}

TEST(Conditions, OutputIsMatchedByLines) {
  RunOutcome outcome = exited(0, "fine\nlost 3 messages\nend\n");
  FailureConditions::create("any", "^lost [0-9]+").value().judge(outcome);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->kind, HEDDLE_FAIL_OUTPUT);
  EXPECT_EQ(outcome.failure->signature, "output|^lost [0-9]+");
  EXPECT_THAT(outcome.failure->message, HasSubstr("lost 3 messages"));
  EXPECT_FALSE(fails("any", "^messages", exited(0, "lost 3 messages\n")));
  EXPECT_TRUE(fails("any", "b$", exited(0, std::string("a\0b\nc", 5))));
}

TEST(Conditions, AFailedExpectationHasASignatureOfItsOwn) {
  const auto judged = [](const char* output) {
    RunOutcome outcome = exited(1, output);
    outcome.failure->subject = "1";
    FailureConditions conditions;
    conditions.tell_expectations("Bank.Pays");
    conditions.judge(outcome);
    return *outcome.failure;
  };
  const FailureRecord one = judged("bank.cc:7: Failure\nExpected: (paid) == (2), actual: 1 vs 2\n");
  EXPECT_EQ(one.signature, "exit|1|Bank.Pays|Expected: (paid) == (2)");
  EXPECT_EQ(one.message, "Expected: (paid) == (2), actual: 1 vs 2");
  EXPECT_EQ(one.file, "bank.cc");
  EXPECT_EQ(one.line, 7u);
  EXPECT_TRUE(same_failure(one, judged("bank.cc:7: Failure\nExpected: (paid) == (2), actual: 0 vs 2\n")));
  EXPECT_FALSE(same_failure(one, judged("bank.cc:9: Failure\nExpected: (paid) == (2), actual: 1 vs 2\n")));
  EXPECT_EQ(judged("no word\n").signature, "");
}

TEST(Conditions, BadOnesAreErrors) {
  EXPECT_FALSE(FailureConditions::create("x", ""));
  EXPECT_FALSE(FailureConditions::create("256", ""));
  EXPECT_FALSE(FailureConditions::create("any", "("));
}

}  // namespace
}  // namespace heddle
