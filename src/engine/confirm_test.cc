// Against a program that speaks the protocol without being controlled (testdata/fake_program.c).
#include "src/engine/confirm.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "src/engine/ending.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

std::unique_ptr<Executor> fake(const std::string& what, const std::atomic<bool>* stop = nullptr) {
  WorkerOptions options;
  options.launch.program = FAKE_PROGRAM;
  options.launch.argv = {"fake", what};
  options.launch.cwd = "/";
  options.stop = stop;
  auto executor = Executor::create(std::move(options), std::make_shared<SiteCache>());
  EXPECT_TRUE(executor.has_value());
  return std::move(*executor);
}

RunRequest request(std::uint64_t seed) {
  RunRequest out;
  out.parameters.seed = seed;
  out.keep_evidence = true;
  return out;
}

// That execution comes to the end that is given as `expected`.
Differs exits_with(int expected) {
  return [=](const RunOutcome& outcome) -> std::optional<std::string> {
    if (WEXITSTATUS(outcome.wait_status) == expected) return std::nullopt;
    return "its exit status differs";
  };
}

TEST(Confirm, TheSameEndIsConfirmedAndAnotherOneIsNot) {
  const FailureConditions conditions;
  auto executor = fake("exit-seed");
  const Result<RunOutcome> first = executor->execute(request(3));
  ASSERT_TRUE(first && first->failure);
  const auto same = confirm(*executor, request(3), {conditions, same_as(*first)});
  ASSERT_TRUE(same);
  EXPECT_FALSE(same->difference) << *same->difference;
  EXPECT_TRUE(same->outcome.evidence);
  const auto clean = confirm(*executor, request(0), {conditions, same_as(*first)});
  ASSERT_TRUE(clean);
  EXPECT_EQ(clean->difference, "it did not fail");
  const auto other = confirm(*executor, request(4), {conditions, same_as(*first)});
  ASSERT_TRUE(other && other->difference);
  EXPECT_NE(other->difference->find("instead of"), std::string::npos) << *other->difference;
}

TEST(Confirm, WhatCountsAsAFailureIsJudgedBeforeItIsCompared) {
  const auto conditions = FailureConditions::create("none", "");
  ASSERT_TRUE(conditions);
  auto executor = fake("exit-seed");
  bool failed = true;
  const auto differs = [&](const RunOutcome& outcome) {
    failed = outcome.failure.has_value();
    return std::optional<std::string>();
  };
  ASSERT_TRUE(confirm(*executor, request(3), {*conditions, differs}));
  EXPECT_FALSE(failed);
}

TEST(Confirm, AnInterruptedExecutionConfirmsNothing) {
  const FailureConditions conditions;
  std::atomic<bool> stop = false;
  auto executor = fake("ok", &stop);
  ASSERT_TRUE(executor->worker().prepare());
  stop = true;
  bool asked = false;
  const auto differs = [&](const RunOutcome&) { return asked = true, std::optional<std::string>(); };
  const auto again = confirm(*executor, request(0), {conditions, differs});
  if (!again) return;  // it was over before the program was ready
  EXPECT_NE(asked, again->interrupted());
  EXPECT_EQ(again->difference.value_or(""), again->interrupted() ? "it was interrupted" : "");
}

TEST(Confirm, TheTraceHasTheEventsOfThisExecutionAndTheInputsOfTheFirst) {
  const FailureConditions conditions;
  const auto folder = TemporaryFolder::create("confirm");
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "kept.heddle";
  auto executor = fake("events");
  Meta meta;
  meta.program = "before";
  auto trace = begin_trace(path, meta, *executor);
  ASSERT_TRUE(trace);
  std::uint64_t seen = 0;
  const auto count = [&](std::span<const HeddleEvent> events) { seen += events.size(); };
  auto again = confirm(*executor, request(1000), {conditions, exits_with(0)}, &*trace, count);
  ASSERT_TRUE(again && !again->difference);
  EXPECT_EQ(seen, 1000u);
  EXPECT_FALSE(std::filesystem::exists(path)) << "before it is finished";
  meta.program = "after";
  const std::string inputs = "12345678";
  const std::optional<FailureRecord> none;
  auto head = finish_trace(*trace, meta, std::move(again->outcome), {inputs, none}, {}, *executor);
  ASSERT_TRUE(head) << head.error().message;
  const auto read = TraceReader::open(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->event_count(), 1000u);
  EXPECT_EQ(read->head().inputs, inputs);
  EXPECT_EQ(read->head().meta.program, "after");
}

TEST(Confirm, WithoutBeingFinishedThereIsNoTrace) {
  const FailureConditions conditions;
  const auto folder = TemporaryFolder::create("confirm");
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "refused.heddle";
  auto executor = fake("exit-seed");
  {
    auto trace = begin_trace(path, {}, *executor);
    ASSERT_TRUE(trace);
    const auto again = confirm(*executor, request(4), {conditions, exits_with(3)}, &*trace);
    ASSERT_TRUE(again && again->difference);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder->path()));
}

TEST(FirstRun, OneThatWasCutOffGivesItsChoices) {
  RunOutcome first;
  first.evidence.emplace();
  first.failure.emplace();
  first.failure->kind = HEDDLE_FAIL_ABORT;
  EXPECT_EQ(first_run(first, first.failure).choices, nullptr);
  first.failure->kind = HEDDLE_FAIL_HANG;
  EXPECT_EQ(first_run(first, first.failure).choices, &first.evidence->choices);
}

}  // namespace
}  // namespace heddle
