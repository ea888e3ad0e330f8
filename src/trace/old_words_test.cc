// What versions before the numbers wrote, in their words.
#include "src/trace/old_words.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

ThreadState waits(WaitKind wait, const char* object, const char* holder = "", bool timed = false) {
  return {.activity = Activity::kWaiting, .wait = wait, .object = object, .holder = holder, .timed = timed};
}

ThreadState about_to(std::uint32_t operation, const char* object = "") {
  return {.activity = Activity::kAboutTo, .operation = operation, .object = object};
}

TEST(OldWords, StatesOfThreads) {
  using old_words::thread_state;
  EXPECT_EQ(thread_state("running"), ThreadState{.activity = Activity::kRunning});
  EXPECT_EQ(thread_state("sleeps"), ThreadState{.activity = Activity::kSleeping});
  EXPECT_EQ(thread_state("finished"), ThreadState{.activity = Activity::kFinished});
  EXPECT_EQ(thread_state("ending"), ThreadState{.activity = Activity::kEnding});
  EXPECT_EQ(thread_state("not started yet"), ThreadState{.activity = Activity::kNotStarted});
  EXPECT_EQ(thread_state("in i/o"), ThreadState{.activity = Activity::kOutside});
  EXPECT_EQ(thread_state("in i/o: read()"), (ThreadState{.activity = Activity::kOutside, .object = "read()"}));
  EXPECT_EQ(thread_state("unknown"), ThreadState{});
  EXPECT_EQ(thread_state(""), ThreadState{});
}

TEST(OldWords, Waits) {
  using old_words::thread_state;
  EXPECT_EQ(thread_state("waits for lock m"), waits(WaitKind::kLock, "m"));
  EXPECT_EQ(thread_state("waits for lock bank::a[1].m held by 0.2"), waits(WaitKind::kLock, "bank::a[1].m", "0.2"));
  EXPECT_EQ(thread_state("waits for lock m held by 0.2, with a timeout"), waits(WaitKind::kLock, "m", "0.2", true));
  EXPECT_EQ(thread_state("waits to read-lock rwlock#1"), waits(WaitKind::kReadLock, "rwlock#1"));
  EXPECT_EQ(thread_state("waits to write-lock rwlock#1 held by 0"), waits(WaitKind::kWriteLock, "rwlock#1", "0"));
  EXPECT_EQ(thread_state("waits for spinlock s held by 0.1"), waits(WaitKind::kSpinLock, "s", "0.1"));
  EXPECT_EQ(thread_state("waits for a signal on c, with a timeout"), waits(WaitKind::kSignal, "c", "", true));
  EXPECT_EQ(thread_state("waits for a wake-up on futex#1"), waits(WaitKind::kWakeUp, "futex#1"));
  EXPECT_EQ(thread_state("waits for semaphore s"), waits(WaitKind::kSemaphore, "s"));
  EXPECT_EQ(thread_state("waits for others at barrier b"), waits(WaitKind::kBarrier, "b"));
  EXPECT_EQ(thread_state("waits for once o held by 0.3"), waits(WaitKind::kOnce, "o", "0.3"));
  EXPECT_EQ(thread_state("waits for thread 0.1.2 to end"), waits(WaitKind::kThread, "0.1.2", "0.1.2"));
  EXPECT_EQ(thread_state("waits in read(), which nobody ends"), waits(WaitKind::kSystemCall, "read()"));
  EXPECT_EQ(thread_state("waits in a system call, which nobody ends"), waits(WaitKind::kSystemCall, ""));
  EXPECT_EQ(thread_state("waits for a signal handler"), waits(WaitKind::kSignalHandler, ""));
  EXPECT_EQ(thread_state("waits for lock ?"), waits(WaitKind::kLock, ""));
}

TEST(OldWords, PendingOperations) {
  using old_words::thread_state;
  EXPECT_EQ(thread_state("about to lock m"), about_to(HEDDLE_EV_MUTEX_LOCK, "m"));
  EXPECT_EQ(thread_state("about to lock"), about_to(HEDDLE_EV_MUTEX_LOCK));
  EXPECT_EQ(thread_state("about to spin lock s"), about_to(HEDDLE_EV_SPIN_LOCK, "s"));
  EXPECT_EQ(thread_state("about to write range"), about_to(HEDDLE_EV_WRITE_RANGE));
  EXPECT_EQ(thread_state("about to write"), about_to(HEDDLE_EV_WRITE));
  EXPECT_EQ(thread_state("about to do an atomic load"), about_to(HEDDLE_EV_ATOMIC_LOAD));
  EXPECT_EQ(thread_state("about to yield"), about_to(HEDDLE_EV_YIELD));
}

TEST(OldWords, KindsAndOperations) {
  EXPECT_EQ(old_words::failure_kind("deadlock"), HEDDLE_FAIL_DEADLOCK);
  EXPECT_EQ(old_words::failure_kind("signal"), HEDDLE_FAIL_SIGNALED);
  EXPECT_EQ(old_words::failure_kind("of a later version"), HEDDLE_FAIL_NONE);
  EXPECT_EQ(old_words::wait_kind("futex wait"), WaitKind::kWakeUp);
  EXPECT_EQ(old_words::wait_kind("join"), WaitKind::kThread);
  EXPECT_EQ(old_words::wait_kind("?"), WaitKind::kUnknown);
}

TEST(OldWords, HowTheRunCameToBe) {
  EXPECT_EQ(old_words::trace_source("recorded"), TraceSource::kRecorded);
  EXPECT_EQ(old_words::trace_source("lifted"), TraceSource::kLifted);
  EXPECT_EQ(old_words::trace_source("pct"), TraceSource::kHunted);
  EXPECT_EQ(old_words::point_set("sync"), HEDDLE_POINTS_SYNC);
  EXPECT_EQ(old_words::point_set("all"), HEDDLE_POINTS_ALL);
  EXPECT_EQ(old_words::point_set(""), HEDDLE_POINTS_RACY);
  EXPECT_EQ(old_words::operation("atomic cas"), HEDDLE_EV_ATOMIC_CAS);
  EXPECT_EQ(old_words::operation("free"), HEDDLE_EV_FREE);
}

TEST(OldWords, NamesOfObjects) {
  EXPECT_EQ(old_words::name_origin("libc's loader"), NameOrigin::kLibc);
  EXPECT_EQ(old_words::name_origin("inside heddle's runtime"), NameOrigin::kRuntime);
  EXPECT_EQ(old_words::name_origin("mutex#1"), NameOrigin::kNumber);
  EXPECT_EQ(old_words::name_origin(""), NameOrigin::kNumber);
  EXPECT_EQ(old_words::name_origin("thr->mutex#2"), NameOrigin::kProgram);
}

TEST(OldWords, WhatCannotBeReplayed) {
  EXPECT_EQ(old_words::unreplayable({"a thread spins", "a seed"}), 0u);
  EXPECT_EQ(old_words::unreplayable(
                {"a note", "a mapped file has more than 64 MiB: it is not recorded, the run cannot be replayed"}),
            HEDDLE_UNREPLAYABLE_MAPPING);
  EXPECT_EQ(old_words::unreplayable({"the area for inputs is full: what the program reads from here on is not "
                                     "recorded, the run cannot be replayed"}),
            HEDDLE_UNREPLAYABLE_INPUTS);
}

FailureRecord completed(FailureKind kind, const char* message, const char* detail) {
  FailureRecord failure;
  failure.kind = kind;
  failure.message = message;
  failure.detail = detail;
  old_words::complete(failure);
  return failure;
}

TEST(OldWords, WhatTheProgramSaid) {
  EXPECT_EQ(completed(HEDDLE_FAIL_ASSERTION, "assertion `n > 0`", "").said, "n > 0");
  EXPECT_EQ(completed(HEDDLE_FAIL_ASSERTION, "assertion `n > 0'", "").said, "n > 0");
  EXPECT_EQ(completed(HEDDLE_FAIL_ASSERTION, "assertion failed", "").said, "");
  EXPECT_EQ(completed(HEDDLE_FAIL_CHECK, "check `ready`", "").said, "ready");
  EXPECT_EQ(completed(HEDDLE_FAIL_ABORT, "abort() was called: double free", "").said, "double free");
  EXPECT_EQ(completed(HEDDLE_FAIL_OUTPUT, "the program wrote: lost 3", "pattern: ^lost").said, "lost 3");
  EXPECT_EQ(completed(HEDDLE_FAIL_LIVELOCK, "livelock: threads run but make no progress", "").said, "");
  const FailureRecord thrown = completed(HEDDLE_FAIL_EXCEPTION, "uncaught exception E: no", "type: E");
  EXPECT_EQ(thrown.subject, "E");
  EXPECT_EQ(thrown.said, "no");
}

TEST(OldWords, WhatASignatureIsMadeOf) {
  EXPECT_EQ(completed(HEDDLE_FAIL_SIGNALED, "killed by SIGKILL", "signal: SIGKILL").subject, "SIGKILL");
  EXPECT_EQ(completed(HEDDLE_FAIL_SANITIZER, "==1==ERROR", "report: bad-free").subject, "bad-free");
  EXPECT_EQ(completed(HEDDLE_FAIL_OUTPUT, "the program wrote: lost 3", "pattern: ^lost").subject, "^lost");
  EXPECT_EQ(completed(HEDDLE_FAIL_EXIT, "exit status 3", "status: 3\nthe place is the last one").subject, "3");
  const FailureRecord expected =
      completed(HEDDLE_FAIL_EXIT, "n == 1, actual: 2", "status: 1\ntest: A.B\nexpectation: n == 1\nplace: a.cc:7");
  EXPECT_EQ(expected.test, "A.B");
  EXPECT_EQ(expected.expectation, "n == 1");
  EXPECT_EQ(expected.expectation_place, "a.cc:7");
  EXPECT_EQ(expected.said, "n == 1, actual: 2");
}

TEST(OldWords, AddressesOfFaults) {
  const auto address = [](const char* message) { return completed(HEDDLE_FAIL_SEGFAULT, message, "").address; };
  EXPECT_EQ(address("segmentation fault: null pointer"), AddressClass::kNull);
  EXPECT_EQ(address("segmentation fault: pointer close to null"), AddressClass::kCloseToNull);
  EXPECT_EQ(address("segmentation fault: stack overflow"), AddressClass::kStackOverflow);
  EXPECT_EQ(address("segmentation fault: not a valid address"), AddressClass::kInvalid);
  EXPECT_EQ(address("bus error: address that is not mapped or not allowed"), AddressClass::kNotAllowed);
  EXPECT_EQ(address("segmentation fault"), AddressClass::kNone);
}

}  // namespace
}  // namespace heddle
