// Laws of signature(): the same bug has the same one, whatever thread, address, line or order of arrival it came with.
#include <algorithm>

#include <gtest/gtest.h>

#include "src/failure/deadlock.h"
#include "src/failure/failure.h"
#include "src/failure/same_failure.h"

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

FailureRecord record(const std::string& kind, const Stack& stack, const std::string& thread = "0.1") {
  FailureRecord r;
  r.kind = kind;
  r.thread = thread;
  r.threads.push_back({thread, "running", stack});
  return r;
}

DeadlockEdge edge(const std::string& thread, const std::string& operation, const std::string& function,
                  const std::string& holder) {
  DeadlockEdge e;
  e.thread = thread;
  e.operation = operation;
  e.object = "m";
  e.holder = holder;
  e.wait_site = frame(function);
  return e;
}

FailureRecord deadlock(std::vector<DeadlockEdge> edges) {
  FailureRecord r;
  r.kind = "deadlock";
  r.deadlock = std::move(edges);
  return r;
}

TEST(Signature, IsKindAndTheUsersFunctions) {
  EXPECT_EQ(
      signature(record("segfault", {frame("strlen", true), frame("take"), frame("start", true), frame("worker")})),
      "segfault|take|worker");
}

TEST(Signature, LinesAddressesAndThreadsDoNotMatter) {
  EXPECT_EQ(signature(record("segfault", {frame("take", false, 7), frame("worker")}, "0.1")),
            signature(record("segfault", {frame("take", false, 9), frame("worker")}, "0.2")));
}

TEST(Signature, OnlyTheInnermostFunctionsCountAndRecursionCountsOnce) {
  Stack deep, deeper;
  for (int i = 0; i < 3; ++i) deep.push_back(frame("walk"));
  for (int i = 0; i < 30; ++i) deeper.push_back(frame("walk"));
  for (const char* f : {"a", "b", "c", "d", "e", "f", "g"}) {
    deep.push_back(frame(f));
    deeper.push_back(frame(f));
  }
  EXPECT_EQ(signature(record("segfault", deep)), "segfault|walk|a|b|c|d|e");
  EXPECT_EQ(signature(record("segfault", deep)), signature(record("segfault", deeper)));
}

TEST(Signature, TemplateArgumentsAreDropped) {
  EXPECT_EQ(signature(record("segfault", {frame("Queue<int>::push"), frame("main::{lambda()#1}::operator()")})),
            "segfault|Queue::push|main::{lambda()#1}::operator()");
}

TEST(Signature, TheMachineryOfTheFailureIsNotPartOfIt) {
  EXPECT_EQ(signature(record("assertion",
                             {frame("on_abort"), frame("abort", true), frame("__assert_fail", true), frame("take")})),
            "assertion|take");
}

TEST(Signature, AnExceptionIsItsTypeAndTheThrowingFunction) {
  FailureRecord r = record("exception", {frame("handler"), frame("std::terminate", true), frame("__cxa_throw", true),
                                         frame("std::__throw_out_of_range", true), frame("get"), frame("main")});
  r.detail = "type: std::out_of_range";
  EXPECT_EQ(signature(r), "exception|std::out_of_range|get");
}

TEST(Signature, AnExitIsItsStatus) {
  FailureRecord r = record("exit", {frame("main")});
  r.detail = "status: 3";
  EXPECT_EQ(signature(r), "exit|3");
}

TEST(Signature, WithoutStackTheFunctionRemains) {
  FailureRecord r;
  r.kind = "assertion";
  r.function = "take";
  EXPECT_EQ(signature(r), "assertion|take");
}

TEST(Signature, WithoutDebugInfoTheInstanceThatSwallowedTheUsersCodeStandsForIt) {
  const Frame rt = frame("heddle::rt::point", true), libc = frame("start_thread", true);
  const Frame instance = frame("std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::$_0>>>::_M_run", true);
  const Stack stack = {rt, instance, libc};
  ASSERT_EQ(user_frame(stack)->function, instance.function);
  FailureRecord r = record("segfault", stack);
  r.function = user_frame(stack)->function;
  EXPECT_EQ(signature(r), "segfault|std::thread::_State_impl::_M_run");
}

TEST(Signature, DeadlockCyclesAreEqualUnderRotationAndRenaming) {
  std::vector<DeadlockEdge> edges = {edge("0.1", "lock", "transfer", "0.2"), edge("0.2", "lock", "audit", "0.3"),
                                     edge("0.3", "rdlock", "close", "0.1")};
  const std::string expected = signature(deadlock(edges));
  EXPECT_EQ(expected, "deadlock|lock audit|rdlock close|lock transfer");
  for (int i = 0; i < 3; ++i) {
    std::ranges::rotate(edges, edges.begin() + 1);
    EXPECT_EQ(signature(deadlock(edges)), expected);
  }
  EXPECT_EQ(signature(deadlock({edge("0.7", "lock", "audit", "0.9"), edge("0.9", "rdlock", "close", "0"),
                                edge("0", "lock", "transfer", "0.7")})),
            expected);
  EXPECT_NE(signature(deadlock({edge("0.7", "rdlock", "close", "0.9"), edge("0.9", "lock", "audit", "0"),
                                edge("0", "lock", "transfer", "0.7")})),
            expected)
      << "the reversed cycle is another one";
}

TEST(Signature, ThreadsThatOnlyHangFromTheCycleDoNotMatter) {
  const std::vector<DeadlockEdge> cycle = {edge("0.1", "lock", "f", "0.2"), edge("0.2", "lock", "g", "0.1")};
  std::vector<DeadlockEdge> more = cycle;
  more.insert(more.begin(), edge("0", "join", "main", "0.1"));
  more.push_back(edge("0.3", "lock", "h", "0.2"));
  EXPECT_EQ(signature(deadlock(more)), signature(deadlock(cycle)));
  EXPECT_EQ(signature(deadlock(cycle)), "deadlock|lock f|lock g");
}

TEST(Signature, WithoutCycleTheWaitsThatNobodyEndsCountAsASet) {
  const auto one = deadlock({edge("0", "join", "main", "0.1"), edge("0.1", "wait", "take", "")});
  const auto two =
      deadlock({edge("0", "join", "main", "0.2"), edge("0.1", "wait", "take", ""), edge("0.2", "wait", "take", "")});
  EXPECT_EQ(signature(one), "deadlock|wait take");
  EXPECT_EQ(signature(one), signature(two));
}

TEST(Signature, ALockOfAFinishedThreadIsARoot) {
  EXPECT_EQ(signature(deadlock({edge("0", "join", "main", "0.2"), edge("0.2", "lock", "take", "0.1")})),
            "deadlock|lock take");
}

TEST(Signature, SelfDeadlockIsACycleOfOne) {
  EXPECT_EQ(signature(deadlock({edge("0", "lock", "f", "0")})), "deadlock|lock f");
}

TEST(Signature, LivelockDependsOnWhoSpinsNotOnWhere) {
  FailureRecord a, b;
  a.kind = b.kind = "livelock";
  a.thread = "0.1", b.thread = "0.2";
  a.threads = {{"0", "waits for thread 0.1 to end", {frame("main")}},
               {"0.1", "running", {frame("backoff"), frame("spin_left")}},
               {"0.2", "about to yield", {frame("spin_right")}}};
  b.threads = {{"0.1", "about to yield", {frame("spin_left")}},
               {"0.2", "running", {frame("load"), frame("spin_right")}}};
  EXPECT_EQ(signature(a), "livelock|spin_left|spin_right");
  EXPECT_EQ(signature(a), signature(b));
}

TEST(Signature, IsNeverLongerThan200AndStillTellsApart) {
  const std::string name(300, 'x');
  const std::string a = signature(record("abort", {frame(name + "a")})),
                    b = signature(record("abort", {frame(name + "b")}));
  EXPECT_LE(a.size(), 200u);
  EXPECT_NE(a, b);
}

TEST(SameFailure, TellsAssertionsAndChecksOfOneFunctionApart) {
  for (const char* kind : {"assertion", "check", "segfault"}) {
    FailureRecord one = record(kind, {frame("main")}), other = record(kind, {frame("main")}, "0.2");
    one.signature = signature(one), other.signature = signature(other);
    one.message = other.message = "`n == 1`";
    EXPECT_TRUE(same_failure(one, other)) << kind;
    other.message = "`n == 2`";
    EXPECT_EQ(same_failure(one, other), std::string(kind) == "segfault") << kind;
    EXPECT_EQ(identity(one) == identity(other), same_failure(one, other)) << kind;
  }
}

TEST(FindCycle, EndsOnAnyGraph) {
  EXPECT_TRUE(find_cycle({}).empty());
  const std::vector<DeadlockEdge> tail = {edge("a", "lock", "f", "b"), edge("b", "lock", "g", "c"),
                                          edge("c", "lock", "h", "b")};
  EXPECT_EQ(find_cycle(tail), (std::vector<std::size_t>{1, 2}));
  const std::vector<DeadlockEdge> chain = {edge("a", "lock", "f", "b"), edge("b", "lock", "g", "c")};
  EXPECT_TRUE(find_cycle(chain).empty());
}

}  // namespace
}  // namespace heddle
