// What a session refuses before anything is executed, and in which order.
#include "src/engine/session.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/program/program.h"
#include "src/trace/container.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

class SessionOf : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::create("session");
    ASSERT_TRUE(folder);
    folder_ = std::move(*folder);
    head_.meta.program = FAKE_PROGRAM;
    head_.meta.argv = {FAKE_PROGRAM, "ok"};
    const auto program = inspect_program(FAKE_PROGRAM);
    ASSERT_TRUE(program);
    head_.meta.build_id = program->build_id;
    task_.verb = "replay";
    task_.trace = (folder_.path() / "a.heddle").string();
    task_.user.key_file = folder_.path() / "key";
  }

  /// What opening the trace of `head_` is refused with.
  std::string refusal(std::optional<SealKey> key = {}) {
    auto writer = TraceWriter::create(task_.trace, key);
    EXPECT_TRUE(writer && writer->begin(head_.meta) && writer->finish(head_));
    const auto session = Session::open(task_);
    return session ? "none" : session.error().message;
  }

  TemporaryFolder folder_;
  TraceHead head_;
  SessionTask task_;
};

TEST_F(SessionOf, ATraceOfSomebodyElseIsNotExecutedWithoutTrust) {
  EXPECT_THAT(refusal(), HasSubstr("was not executed"));
  const auto key = read_or_make_key(task_.user.key_file);
  ASSERT_TRUE(key);
  EXPECT_THAT(refusal(), HasSubstr("it carries no seal"));
  head_.meta.program = "/nowhere/at/all";
  EXPECT_THAT(refusal(), HasSubstr("was not executed")) << "before its program is looked for";
  EXPECT_THAT(refusal(*key), HasSubstr("no longer at /nowhere/at/all")) << "an own trace needs no trust";
}

TEST_F(SessionOf, WithTrustItsProgramHasToBeTheSameBuild) {
  task_.trust = true;
  head_.meta.build_id = "0123";
  EXPECT_THAT(refusal(), HasSubstr("was rebuilt"));
}

TEST_F(SessionOf, AProgramThatTheUserNamesNeedsNoTrustButItsArguments) {
  task_.program = {FAKE_PROGRAM, "other"};
  EXPECT_THAT(refusal(), HasSubstr("the arguments after -- differ"));
  task_.program = {FAKE_PROGRAM};
  head_.meta.build_id = "0123";
  EXPECT_THAT(refusal(), HasSubstr("was rebuilt"));
}

TEST_F(SessionOf, WhatIsNoTraceIsAnError) {
  std::ofstream(task_.trace) << "no trace";
  EXPECT_FALSE(Session::open(task_));
}

}  // namespace
}  // namespace heddle
