// Laws of signature(): the same bug has the same one, whatever thread, address, line or order of arrival it came with.
#include <algorithm>

#include <gtest/gtest.h>

#include "src/failure/failure.h"
#include "src/failure/same_failure.h"
#include "src/failure/wait_cycle.h"
#include "src/trace/container.h"

namespace heddle {
namespace {

Frame frame(const std::string& function, bool system = false, std::uint32_t line = 1) {
  Frame f;
  f.function = f.linkage = function;
  f.system = system;
  f.line = line;
  f.offset = line * 16;
  return f;
}

FailureRecord record(FailureKind kind, const Stack& stack, const std::string& thread = "0.1") {
  FailureRecord r;
  r.kind = kind;
  r.thread = thread;
  r.threads.push_back({thread, {.activity = Activity::kRunning}, stack});
  return r;
}

DeadlockEdge edge(const std::string& thread, WaitKind wait, const std::string& function, const std::string& holder) {
  DeadlockEdge e;
  e.thread = thread;
  e.wait = wait;
  e.object = "m";
  e.holder = holder;
  e.wait_site = frame(function);
  return e;
}

FailureRecord deadlock(std::vector<DeadlockEdge> edges) {
  FailureRecord r;
  r.kind = HEDDLE_FAIL_DEADLOCK;
  r.deadlock = std::move(edges);
  return r;
}

TEST(Signature, IsKindAndTheUsersFunctions) {
  EXPECT_EQ(signature(record(HEDDLE_FAIL_SEGFAULT,
                             {frame("strlen", true), frame("take"), frame("start", true), frame("worker")})),
            "segfault|take|worker");
}

TEST(Signature, LinesAddressesAndThreadsDoNotMatter) {
  EXPECT_EQ(signature(record(HEDDLE_FAIL_SEGFAULT, {frame("take", false, 7), frame("worker")}, "0.1")),
            signature(record(HEDDLE_FAIL_SEGFAULT, {frame("take", false, 9), frame("worker")}, "0.2")));
}

TEST(Signature, OnlyTheInnermostFunctionsCountAndRecursionCountsOnce) {
  Stack deep, deeper;
  for (int i = 0; i < 3; ++i) deep.push_back(frame("walk"));
  for (int i = 0; i < 30; ++i) deeper.push_back(frame("walk"));
  for (const char* f : {"a", "b", "c", "d", "e", "f", "g"}) {
    deep.push_back(frame(f));
    deeper.push_back(frame(f));
  }
  EXPECT_EQ(signature(record(HEDDLE_FAIL_SEGFAULT, deep)), "segfault|walk|a|b|c|d|e");
  EXPECT_EQ(signature(record(HEDDLE_FAIL_SEGFAULT, deep)), signature(record(HEDDLE_FAIL_SEGFAULT, deeper)));
}

TEST(Signature, TemplateArgumentsAreDropped) {
  EXPECT_EQ(
      signature(record(HEDDLE_FAIL_SEGFAULT, {frame("Queue<int>::push"), frame("main::{lambda()#1}::operator()")})),
      "segfault|Queue::push|main::{lambda()#1}::operator()");
}

TEST(Signature, TheMachineryOfTheFailureIsNotPartOfIt) {
  EXPECT_EQ(signature(record(HEDDLE_FAIL_ASSERTION,
                             {frame("on_abort"), frame("abort", true), frame("__assert_fail", true), frame("take")})),
            "assertion|take");
}

TEST(Signature, AnExceptionIsItsTypeAndTheThrowingFunction) {
  FailureRecord r =
      record(HEDDLE_FAIL_EXCEPTION, {frame("handler"), frame("std::terminate", true), frame("__cxa_throw", true),
                                     frame("std::__throw_out_of_range", true), frame("get"), frame("main")});
  r.subject = "std::out_of_range";
  EXPECT_EQ(signature(r), "exception|std::out_of_range|get");
}

TEST(Signature, AnExitIsItsStatus) {
  FailureRecord r = record(HEDDLE_FAIL_EXIT, {frame("main")});
  r.subject = "3";
  EXPECT_EQ(signature(r), "exit|3");
}

TEST(Signature, WithoutStackTheFunctionRemains) {
  FailureRecord r;
  r.kind = HEDDLE_FAIL_ASSERTION;
  r.function = "take";
  EXPECT_EQ(signature(r), "assertion|take");
}

TEST(Signature, WithoutDebugInfoTheInstanceThatSwallowedTheUsersCodeStandsForIt) {
  const Frame rt = frame("heddle::rt::point", true), libc = frame("start_thread", true);
  const Frame instance = frame("std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::$_0>>>::_M_run", true);
  const Stack stack = {rt, instance, libc};
  ASSERT_EQ(user_frame(stack)->function, instance.function);
  FailureRecord r = record(HEDDLE_FAIL_SEGFAULT, stack);
  r.function = user_frame(stack)->function;
  EXPECT_EQ(signature(r), "segfault|std::thread::_State_impl::_M_run");
}

TEST(Signature, DeadlockCyclesAreEqualUnderRotationAndRenaming) {
  std::vector<DeadlockEdge> edges = {edge("0.1", WaitKind::kLock, "transfer", "0.2"),
                                     edge("0.2", WaitKind::kLock, "audit", "0.3"),
                                     edge("0.3", WaitKind::kReadLock, "close", "0.1")};
  const std::string expected = signature(deadlock(edges));
  EXPECT_EQ(expected, "deadlock|lock audit|rdlock close|lock transfer");
  for (int i = 0; i < 3; ++i) {
    std::ranges::rotate(edges, edges.begin() + 1);
    EXPECT_EQ(signature(deadlock(edges)), expected);
  }
  EXPECT_EQ(
      signature(deadlock({edge("0.7", WaitKind::kLock, "audit", "0.9"), edge("0.9", WaitKind::kReadLock, "close", "0"),
                          edge("0", WaitKind::kLock, "transfer", "0.7")})),
      expected);
  EXPECT_NE(
      signature(deadlock({edge("0.7", WaitKind::kReadLock, "close", "0.9"), edge("0.9", WaitKind::kLock, "audit", "0"),
                          edge("0", WaitKind::kLock, "transfer", "0.7")})),
      expected)
      << "the reversed cycle is another one";
}

TEST(Signature, ThreadsThatOnlyHangFromTheCycleDoNotMatter) {
  const std::vector<DeadlockEdge> cycle = {edge("0.1", WaitKind::kLock, "f", "0.2"),
                                           edge("0.2", WaitKind::kLock, "g", "0.1")};
  std::vector<DeadlockEdge> more = cycle;
  more.insert(more.begin(), edge("0", WaitKind::kThread, "main", "0.1"));
  more.push_back(edge("0.3", WaitKind::kLock, "h", "0.2"));
  EXPECT_EQ(signature(deadlock(more)), signature(deadlock(cycle)));
  EXPECT_EQ(signature(deadlock(cycle)), "deadlock|lock f|lock g");
}

TEST(Signature, WithoutCycleTheWaitsThatNobodyEndsCountAsASet) {
  const auto one = deadlock({edge("0", WaitKind::kThread, "main", "0.1"), edge("0.1", WaitKind::kSignal, "take", "")});
  const auto two = deadlock({edge("0", WaitKind::kThread, "main", "0.2"), edge("0.1", WaitKind::kSignal, "take", ""),
                             edge("0.2", WaitKind::kSignal, "take", "")});
  EXPECT_EQ(signature(one), "deadlock|wait take");
  EXPECT_EQ(signature(one), signature(two));
}

TEST(Signature, ALockOfAFinishedThreadIsARoot) {
  EXPECT_EQ(
      signature(deadlock({edge("0", WaitKind::kThread, "main", "0.2"), edge("0.2", WaitKind::kLock, "take", "0.1")})),
      "deadlock|lock take");
}

TEST(Signature, SelfDeadlockIsACycleOfOne) {
  EXPECT_EQ(signature(deadlock({edge("0", WaitKind::kLock, "f", "0")})), "deadlock|lock f");
}

TEST(Signature, LivelockDependsOnWhoSpinsNotOnWhere) {
  FailureRecord a, b;
  a.kind = b.kind = HEDDLE_FAIL_LIVELOCK;
  a.thread = "0.1", b.thread = "0.2";
  const ThreadState waits{.activity = Activity::kWaiting, .wait = WaitKind::kThread},
      runs{.activity = Activity::kRunning}, yields{.activity = Activity::kAboutTo, .operation = HEDDLE_EV_YIELD};
  a.threads = {{"0", waits, {frame("main")}},
               {"0.1", runs, {frame("backoff"), frame("spin_left")}},
               {"0.2", yields, {frame("spin_right")}}};
  b.threads = {{"0.1", yields, {frame("spin_left")}}, {"0.2", runs, {frame("load"), frame("spin_right")}}};
  EXPECT_EQ(signature(a), "livelock|spin_left|spin_right");
  EXPECT_EQ(signature(a), signature(b));
}

TEST(Signature, IsNeverLongerThan200AndStillTellsApart) {
  const std::string name(300, 'x');
  const std::string a = signature(record(HEDDLE_FAIL_ABORT, {frame(name + "a")})),
                    b = signature(record(HEDDLE_FAIL_ABORT, {frame(name + "b")}));
  EXPECT_LE(a.size(), 200u);
  EXPECT_NE(a, b);
}

TEST(Signature, TextForPeopleIsNoPartOfIt) {
  FailureRecord plain = record(HEDDLE_FAIL_SANITIZER, {frame("take")}), worded = plain;
  plain.subject = worded.subject = "bad-free";
  worded.message = "message", worded.detail = "detail: other\nstatus: 7\ntest: A.B", worded.notes = {"note"};
  EXPECT_EQ(signature(worded), signature(plain));
  EXPECT_EQ(signature(plain), "sanitizer|bad-free|take");
}

/// One of each kind, as the files of users have them: no change of Heddle may change these.
TEST(Signature, TheseAreForEver) {
  const Stack stack = {frame("take"), frame("worker")};
  const auto of = [&](FailureKind kind, const char* subject = "") {
    FailureRecord r = record(kind, stack);
    r.subject = subject;
    if (kind == HEDDLE_FAIL_DEADLOCK)
      for (int wait = 0; wait < static_cast<int>(WaitKind::kCount); ++wait)
        r.deadlock.push_back(
            edge("0.1", static_cast<WaitKind>(wait), std::string(1, static_cast<char>('a' + wait)), ""));
    return signature(r);
  };
  EXPECT_EQ(of(HEDDLE_FAIL_ASSERTION), "assertion|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_ABORT), "abort|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_SEGFAULT), "segfault|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_BUS), "bus|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_FPE), "fpe|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_ILL), "ill|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_EXCEPTION, "int"), "exception|int|take");
  EXPECT_EQ(of(HEDDLE_FAIL_DEADLOCK),
            "deadlock|barrier i|futex wait g|join k|lock b|once j|rdlock c|sem wait h|sleep l|spin lock e|suspend n|"
            "system call m|unknown a|wait f|wrlock d");
  EXPECT_EQ(of(HEDDLE_FAIL_LIVELOCK), "livelock|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_HANG), "hang|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_EXIT, "3"), "exit|3");
  EXPECT_EQ(of(HEDDLE_FAIL_SANITIZER, "data race"), "sanitizer|data race|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_OUTPUT, "^lost"), "output|^lost");
  EXPECT_EQ(of(HEDDLE_FAIL_CHECK), "check|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_RACE), "race|take|worker");
  EXPECT_EQ(of(HEDDLE_FAIL_SIGNALED, "SIGKILL"), "signal|SIGKILL|take|worker");
}

/// A hunt in examples/transfer.c, written before there were numbers (src/trace/old_words.h).
TEST(Signature, OfATraceInWordsIsTheSame) {
  const auto trace = TraceReader::open(HEDDLE_SOURCE_DIR "/tests/data/traces/v1-words.heddle");
  ASSERT_TRUE(trace) << trace.error().message;
  const TraceHead& head = trace->head();
  ASSERT_TRUE(head.failure);
  const FailureRecord& f = *head.failure;
  EXPECT_EQ(f.kind, HEDDLE_FAIL_DEADLOCK);
  EXPECT_EQ(f.signature, "deadlock|lock transfer|lock transfer");
  EXPECT_EQ(signature(f), f.signature);
  ASSERT_EQ(f.threads.size(), 3u);
  EXPECT_EQ(f.threads[0].state.wait, WaitKind::kThread);
  EXPECT_EQ(f.threads[0].state.holder, "0.1");
  ASSERT_EQ(f.deadlock.size(), 3u);
  for (const DeadlockEdge& e : {f.deadlock[0], f.deadlock[1]}) {
    EXPECT_EQ(e.wait, WaitKind::kLock);
    const auto object = std::ranges::find(head.objects, e.object_id, &ObjectRecord::id);
    ASSERT_NE(object, head.objects.end());
    EXPECT_EQ(object->name, e.object);
  }
  EXPECT_EQ(f.deadlock[2].wait, WaitKind::kThread);
  EXPECT_EQ(f.deadlock[2].object_id, 0u);
}

TEST(SameFailure, TellsAssertionsAndChecksOfOneFunctionApart) {
  for (const FailureKind kind : {HEDDLE_FAIL_ASSERTION, HEDDLE_FAIL_CHECK, HEDDLE_FAIL_SEGFAULT}) {
    FailureRecord one = record(kind, {frame("main")}), other = record(kind, {frame("main")}, "0.2");
    one.signature = signature(one), other.signature = signature(other);
    one.said = other.said = "n == 1";
    one.message = "assertion `n == 1`", other.message = "`n == 1` is false";  // reworded in between
    EXPECT_TRUE(same_failure(one, other)) << kind;
    other.said = "n == 2";
    EXPECT_EQ(same_failure(one, other), kind == HEDDLE_FAIL_SEGFAULT) << kind;
    EXPECT_EQ(identity(one) == identity(other), same_failure(one, other)) << kind;
  }
}

TEST(FindCycle, EndsOnAnyGraph) {
  EXPECT_TRUE(find_cycle({}).empty());
  const std::vector<DeadlockEdge> tail = {edge("a", WaitKind::kLock, "f", "b"), edge("b", WaitKind::kLock, "g", "c"),
                                          edge("c", WaitKind::kLock, "h", "b")};
  EXPECT_EQ(find_cycle(tail), (std::vector<std::size_t>{1, 2}));
  const std::vector<DeadlockEdge> chain = {edge("a", WaitKind::kLock, "f", "b"), edge("b", WaitKind::kLock, "g", "c")};
  EXPECT_TRUE(find_cycle(chain).empty());
}

}  // namespace
}  // namespace heddle
