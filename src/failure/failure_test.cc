// Laws of classify(): every way a run can end has its kind, place and words, from records that the child may have
// damaged. Stacks are those of this test: the symbolizer is attached to the test process itself, stack words are
// addresses of functions below.
#include "src/failure/failure.h"

#include <csignal>
#include <cstring>
#include <stdexcept>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include "src/program/parked_process.h"
#include "src/show/kind_text.h"

namespace shop {  // the "program under test"
volatile int sink;
__attribute__((noinline)) void take() { sink = 1; }
__attribute__((noinline)) void transfer() { sink = 2; }
__attribute__((noinline)) void audit() { sink = 3; }
pthread_mutex_t m1, m2;
pthread_cond_t ready;
}  // namespace shop

namespace heddle {
namespace {

using testing::compile;
using testing::ParkedProcess;
using testing::ScratchFolder;

template <std::size_t N>
void put(char (&field)[N], const char* text) {
  std::strncpy(field, text, N - 1);
}

Symbolizer& own_symbolizer() {
  static Symbolizer symbolizer;
  static const bool attached = symbolizer.attach(::getpid()).has_value();
  EXPECT_TRUE(attached);
  return symbolizer;
}

/// A run of three threads with a stack and an object table that tests fill.
struct FakeRun {
  HeddleResult result{};
  std::vector<HeddleThreadInfo> threads = std::vector<HeddleThreadInfo>(3);
  std::vector<HeddleObjectInfo> objects;
  std::vector<std::uint64_t> words;

  FakeRun() {
    for (std::uint32_t i = 0; i < 3; ++i) {
      threads[i].state = HEDDLE_T_PENDING;
      threads[i].enabled = 1;
      threads[i].ordinal = i;
      threads[i].pending_kind = HEDDLE_EV_YIELD;
    }
  }

  std::uint32_t stack_of(std::initializer_list<void (*)()> functions) {
    const auto id = static_cast<std::uint32_t>(words.size() + 1);
    words.push_back(functions.size());
    for (auto f : functions) words.push_back(reinterpret_cast<std::uint64_t>(f) + 1);
    return id;
  }

  std::uint32_t add_object(const void* address, std::uint32_t kind, std::uint32_t owner = 0) {
    HeddleObjectInfo o{};
    o.address = reinterpret_cast<std::uint64_t>(address);
    o.kind = kind;
    o.owner = owner;
    objects.push_back(o);
    return static_cast<std::uint32_t>(objects.size());
  }

  void block(std::uint32_t thread, std::uint32_t kind, std::uint32_t object, void (*where)()) {
    HeddleThreadInfo& t = threads[thread];
    t.enabled = 0;
    t.pending_kind = kind;
    t.pending_object = object;
    if (object) t.pending_address = objects[object - 1].address;
    t.pending_stack = stack_of({where});
  }

  void block_in_join(std::uint32_t thread, std::uint32_t joined, void (*where)()) {
    block(thread, HEDDLE_EV_THREAD_JOIN, 0, where);
    threads[thread].pending_address = joined;
  }

  std::optional<FailureRecord> classify(int wait_status = -1) {
    RunEvidence evidence;
    evidence.result = &result;
    evidence.threads = threads;
    evidence.objects = objects;
    evidence.stack_words = words;
    evidence.symbolizer = &own_symbolizer();
    return heddle::classify(evidence, wait_status);
  }

  FailureRecord failure(HeddleFailureKind kind) {
    result.failure.kind = kind;
    return classify().value();
  }
};

int exited(int status) { return status << 8; }

TEST(Classify, ARunThatEndsWellIsNoFailure) {
  FakeRun run;
  EXPECT_FALSE(run.classify(exited(0)).has_value());
  EXPECT_FALSE(run.classify(-1).has_value());
  RunEvidence nothing;
  EXPECT_FALSE(classify(nothing, exited(1)).has_value());
}

TEST(Classify, WithoutRecordTheWaitStatusSpeaks) {
  for (const auto& [number, kind] : std::map<int, FailureKind>{{SIGABRT, HEDDLE_FAIL_ABORT},
                                                               {SIGSEGV, HEDDLE_FAIL_SEGFAULT},
                                                               {SIGBUS, HEDDLE_FAIL_BUS},
                                                               {SIGFPE, HEDDLE_FAIL_FPE},
                                                               {SIGILL, HEDDLE_FAIL_ILL},
                                                               {SIGKILL, HEDDLE_FAIL_SIGNALED},
                                                               {SIGTERM, HEDDLE_FAIL_SIGNALED}}) {
    FakeRun run;
    EXPECT_EQ(run.classify(number)->kind, kind) << number;
    EXPECT_EQ(run.classify(number | 0x80)->kind, kind) << "with a core dump";
  }
  FakeRun run;
  EXPECT_EQ(run.classify(SIGKILL)->message, "killed by SIGKILL");
  EXPECT_EQ(run.classify(SIGKILL)->signature, "signal|SIGKILL");
  const auto failure = run.classify(exited(3));
  EXPECT_EQ(failure->kind, HEDDLE_FAIL_EXIT);
  EXPECT_EQ(failure->message, "exit status 3");
  EXPECT_EQ(failure->signature, "exit|3");
}

TEST(Classify, EveryKindHasItsNameAndAMessage) {
  for (int kind = HEDDLE_FAIL_NONE + 1; kind < HEDDLE_FAIL_COUNT; ++kind) {
    FakeRun run;
    run.threads[1].pending_stack = run.stack_of({shop::take});
    run.result.failure.thread = 1;
    run.result.failure.exit_status = 1;
    run.result.failure.signal = SIGSEGV;
    const FailureRecord failure = run.failure(static_cast<HeddleFailureKind>(kind));
    EXPECT_EQ(failure.kind, kind);
    EXPECT_FALSE(failure.message.empty()) << kind;
    EXPECT_TRUE(failure.signature.starts_with(token(failure.kind))) << failure.signature;
    EXPECT_EQ(failure.signature.find("0x"), std::string::npos);
  }
}

TEST(Classify, AnAssertionIsShownAtItsOwnLine) {
  FakeRun run;
  run.threads[2].pending_stack = run.stack_of({shop::take});
  run.threads[2].parent = 1;
  HeddleFailure& f = run.result.failure;
  f.thread = 2;
  f.line = 14;
  put(f.message, "filled > 0");
  put(f.file, "failure_test.cc");
  put(f.function, "void shop::take()");
  const FailureRecord failure = run.failure(HEDDLE_FAIL_ASSERTION);
  EXPECT_EQ(failure.message, "assertion `filled > 0`");
  EXPECT_EQ(failure.thread, "0.1.2");
  EXPECT_EQ(failure.function, "shop::take");
  EXPECT_EQ(failure.line, 14u);
  EXPECT_TRUE(failure.file.starts_with('/')) << failure.file;
  EXPECT_EQ(failure.signature, "assertion|shop::take");
  EXPECT_EQ(failure.threads.size(), 3u);
}

TEST(Classify, AnAssertionWithoutStackKeepsWhatItSaid) {
  FakeRun run;
  put(run.result.failure.file, "queue.c");
  put(run.result.failure.function, "int take(struct Queue*)");
  run.result.failure.line = 9;
  const FailureRecord failure = run.failure(HEDDLE_FAIL_ASSERTION);
  EXPECT_EQ(failure.file, "queue.c");
  EXPECT_EQ(failure.line, 9u);
  EXPECT_EQ(failure.signature, "assertion|take");
}

TEST(Classify, AFaultSaysWhatKindOfAddressItHit) {
  FakeRun run;
  run.threads[0].stack_low = 0x7ff000000000;
  HeddleFailure& f = run.result.failure;
  f.signal = SIGSEGV;
  EXPECT_EQ(run.failure(HEDDLE_FAIL_SEGFAULT).message, "segmentation fault: null pointer");
  f.fault_address = 0x7fefffffff00;
  EXPECT_EQ(run.failure(HEDDLE_FAIL_SEGFAULT).message, "segmentation fault: stack overflow");
  f.fault_address = 0xdeadbeefdeadbeef;
  EXPECT_EQ(run.failure(HEDDLE_FAIL_SEGFAULT).message, "segmentation fault: not a valid address");
  EXPECT_EQ(run.failure(HEDDLE_FAIL_SEGFAULT).detail, "signal: SIGSEGV\naddress: 0xdeadbeefdeadbeef");
}

TEST(Classify, AnExceptionNamesItsType) {
  FakeRun run;
  run.threads[1].pending_stack = run.stack_of({shop::take});
  run.result.failure.thread = 1;
  put(run.result.failure.type, typeid(std::runtime_error).name());
  put(run.result.failure.message, "queue\nis empty");
  const FailureRecord failure = run.failure(HEDDLE_FAIL_EXCEPTION);
  EXPECT_EQ(failure.message, "uncaught exception std::runtime_error: queue");
  EXPECT_EQ(failure.signature, "exception|std::runtime_error|shop::take");
  put(run.result.failure.type, typeid(int).name());
  EXPECT_EQ(run.failure(HEDDLE_FAIL_EXCEPTION).signature, "exception|int|shop::take");
}

TEST(Classify, ASanitizerReportIsKnownByItsClass) {
  FakeRun run;
  put(run.result.failure.message,
      "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55");
  EXPECT_EQ(run.failure(HEDDLE_FAIL_SANITIZER).signature, "sanitizer|heap-use-after-free");
}

/// 0 joins 0.1; 0.1 holds m1 and wants m2; 0.2 holds m2 and wants m1.
FakeRun two_locks() {
  FakeRun run;
  const auto m1 = run.add_object(&shop::m1, HEDDLE_EV_MUTEX_LOCK, 2),
             m2 = run.add_object(&shop::m2, HEDDLE_EV_MUTEX_LOCK, 3);
  run.block_in_join(0, 1, shop::take);
  run.block(1, HEDDLE_EV_MUTEX_LOCK, m2, shop::transfer);
  run.block(2, HEDDLE_EV_MUTEX_LOCK, m1, shop::audit);
  run.objects[0].held_stack = run.stack_of({shop::transfer});
  return run;
}

TEST(Classify, ADeadlockSaysWhoHoldsAndWaitsForWhat) {
  FakeRun run = two_locks();
  const FailureRecord failure = run.failure(HEDDLE_FAIL_DEADLOCK);
  EXPECT_EQ(failure.message,
            "deadlock: 0.2 waits for lock shop::m1 held by 0.1, 0.1 waits for lock shop::m2 held by 0.2");
  EXPECT_EQ(failure.signature, "deadlock|lock shop::audit|lock shop::transfer");
  EXPECT_EQ(failure.thread, "0.2");
  EXPECT_EQ(failure.function, "shop::audit");
  ASSERT_EQ(failure.deadlock.size(), 3u);
  EXPECT_EQ(failure.deadlock[0].hold_site.function, "shop::transfer");
  EXPECT_EQ(failure.deadlock[2].wait, WaitKind::kThread);
  EXPECT_EQ(failure.deadlock[0].object_id, 1u);
  EXPECT_EQ(failure.deadlock[2].object_id, 0u) << "a thread is no object";
  EXPECT_EQ(failure.deadlock[2].holder, "0.1");
  EXPECT_EQ(to_text(failure.threads[0].state), "waits for thread 0.1 to end");
  EXPECT_EQ(to_text(failure.threads[1].state), "waits for lock shop::m2 held by 0.2");
  EXPECT_EQ(failure.threads[1].state.object_id, 2u);
}

TEST(Classify, ASelfDeadlockIsSaidSo) {
  FakeRun run;
  run.block(0, HEDDLE_EV_MUTEX_LOCK, run.add_object(&shop::m1, HEDDLE_EV_MUTEX_LOCK, 1), shop::take);
  EXPECT_EQ(run.failure(HEDDLE_FAIL_DEADLOCK).message, "deadlock: 0 waits for lock shop::m1 held by 0 itself");
}

TEST(Classify, ALostSignalIsNamed) {
  FakeRun run;
  run.threads[2].state = HEDDLE_T_DONE;
  run.block_in_join(0, 1, shop::audit);
  run.block(1, HEDDLE_EV_COND_WAKE, run.add_object(&shop::ready, HEDDLE_EV_COND_WAIT), shop::take);
  run.objects[0].lost_signals = 1;
  run.objects[0].last_signaler = 3;
  FailureRecord failure = run.failure(HEDDLE_FAIL_DEADLOCK);
  EXPECT_EQ(failure.message, "deadlock: 0.1 waits for a signal on shop::ready");
  EXPECT_EQ(failure.signature, "deadlock|wait shop::take");
  ASSERT_EQ(failure.notes.size(), 1u);
  EXPECT_EQ(failure.notes[0],
            "a signal on `shop::ready` was lost: it was sent when nobody waited (the last one was sent by 0.2)");
  EXPECT_EQ(failure.threads.size(), 2u) << "finished threads are not listed";
  run.objects[0].lost_signals = 0;
  failure = run.failure(HEDDLE_FAIL_DEADLOCK);
  EXPECT_NE(failure.notes.at(0).find("none came after this wait began"), std::string::npos);
  run.objects[0].last_signaler = 0;
  EXPECT_EQ(run.failure(HEDDLE_FAIL_DEADLOCK).notes.at(0), "nobody ever signalled `shop::ready`");
}

TEST(Classify, ALockThatItsFinishedOwnerKeptIsNamed) {
  FakeRun run;
  run.threads[1].state = HEDDLE_T_DONE;
  run.block(0, HEDDLE_EV_MUTEX_LOCK, run.add_object(&shop::m1, HEDDLE_EV_MUTEX_LOCK, 2), shop::take);
  const FailureRecord failure = run.failure(HEDDLE_FAIL_DEADLOCK);
  EXPECT_EQ(failure.notes.at(0), "`shop::m1` was never unlocked: its owner 0.1 has finished");
  EXPECT_EQ(failure.signature, "deadlock|lock shop::take");
}

TEST(Classify, EachWayOfWaitingHasItsWords) {
  const std::map<std::uint32_t, std::string> expected = {
      {HEDDLE_EV_SEM_WAIT, "waits for semaphore semaphore#1"},
      {HEDDLE_EV_BARRIER_LEAVE, "waits for others at barrier barrier#1"},
      {HEDDLE_EV_ONCE, "waits for once once#1"},
      {HEDDLE_EV_FUTEX_WOKEN, "waits for a wake-up on futex#1"},
      {HEDDLE_EV_SPIN_LOCK, "waits for spinlock spinlock#1"},
      {HEDDLE_EV_RW_WRLOCK, "waits to write-lock rwlock#1"},
      {HEDDLE_EV_RW_RDLOCK, "waits to read-lock rwlock#1"}};
  for (const auto& [kind, text] : expected) {
    FakeRun run;
    int on_the_stack = 0;
    run.block(1, kind, run.add_object(&on_the_stack, kind), shop::take);
    EXPECT_EQ(to_text(run.failure(HEDDLE_FAIL_DEADLOCK).threads.at(1).state), text);
  }
}

TEST(Classify, OtherStatesHaveTheirWordsToo) {
  FakeRun run;
  run.threads[0].state = HEDDLE_T_RUNNING;
  run.threads[1].state = HEDDLE_T_OUT;
  run.threads[2].pending_kind = HEDDLE_EV_SLEEP;
  const FailureRecord failure = run.failure(HEDDLE_FAIL_HANG);
  EXPECT_EQ(to_text(failure.threads.at(0).state), "running");
  EXPECT_EQ(to_text(failure.threads.at(1).state), "in i/o");
  EXPECT_EQ(to_text(failure.threads.at(2).state), "sleeps");
}

TEST(Classify, DamagedRecordsGiveSomeAnswerAndNoCrash) {
  FakeRun run = two_locks();
  std::uint64_t state = 1;
  const auto random = [&] { return (state = state * 6364136223846793005ull + 1442695040888963407ull) >> 24; };
  const auto scribble = [&](auto& value) {
    auto* bytes = reinterpret_cast<unsigned char*>(&value);
    for (int i = 0; i < 6; ++i) bytes[random() % sizeof value] = static_cast<unsigned char>(random());
  };
  for (int i = 0; i < 1000; ++i) {
    FakeRun bad = two_locks();
    bad.result.failure.kind = 1 + static_cast<std::uint32_t>(random() % (HEDDLE_FAIL_COUNT + 1));
    scribble(bad.result.failure);
    for (auto& t : bad.threads) scribble(t);
    for (auto& o : bad.objects) scribble(o);
    bad.words[random() % bad.words.size()] = random();
    std::memset(bad.result.failure.message, 'x', sizeof bad.result.failure.message);
    const auto failure = bad.classify(static_cast<int>(random() % 65536));
    if (failure) {
      EXPECT_LE(failure->signature.size(), 200u);
    }
  }
  EXPECT_EQ(thread_name(run.threads, 77), "?");
}

TEST(Classify, AnAbortFromTerminateIsAnExceptionAndOneFromAssertAnAssertion) {
  const std::string source = std::string(testing::kParkDeclarations) + R"(
#include <cassert>
#include <cstdlib>
#include <stdexcept>
#include <vector>
__attribute__((noinline)) int cause(const std::vector<int>& v) {
  switch (HOW) {
    case 0: throw std::runtime_error("no");
    case 1: return v.at(7);
    case 2: assert(v.empty()); return 0;
    default: abort();
  }
}
int main() { park_on_fault(0); return cause({1, 2}) + 1; }
)";
  ScratchFolder folder;
  const char* const expected[] = {"exception|cause", "exception|cause", "assertion|cause|main", "abort|cause|main"};
  for (int how = 0; how < 4; ++how) {
    for (const char* compiler : {"g++ -g -O0", "clang++-19 -g -O1"}) {
      ParkedProcess process(
          compile(folder, "abort.cc", source, fmt::format("{} -DHOW={} -w 2>/dev/null", compiler, how)), 1);
      ASSERT_TRUE(process.ok());
      HeddleResult result{};
      result.failure.kind = HEDDLE_FAIL_ABORT;
      result.failure.signal = SIGABRT;
      result.failure.has_regs = 1;
      result.failure.regs = process.regs(0);
      HeddleThreadInfo thread{};
      thread.state = HEDDLE_T_RUNNING;
      Symbolizer symbolizer;
      ASSERT_TRUE(symbolizer.attach(process.pid()).has_value());
      RunEvidence evidence;
      evidence.result = &result;
      evidence.threads = {&thread, 1};
      evidence.pid = process.pid();
      evidence.symbolizer = &symbolizer;
      const auto failure = classify(evidence, -1);
      ASSERT_TRUE(failure.has_value());
      EXPECT_EQ(failure->signature, expected[how]) << compiler;
      EXPECT_EQ(failure->function, "cause");
    }
  }
}

}  // namespace
}  // namespace heddle
