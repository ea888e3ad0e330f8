// The protocol of abi/region.h against a program that speaks it without being controlled (testdata/fake_program.c).
#include "src/engine/worker.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include "src/engine/process_tree.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

WorkerOptions fake(const std::string& what) {
  WorkerOptions options;
  options.launch.program = FAKE_PROGRAM;
  options.launch.argv = {"fake", what};
  options.launch.environment = {"HOME=/", "HEDDLE_SECRET=1"};
  options.launch.cwd = "/";
  return options;
}

std::unique_ptr<Worker> make(WorkerOptions options) {
  auto worker = Worker::create(std::move(options));
  EXPECT_TRUE(worker.has_value());
  return std::move(*worker);
}

RunStatus run_once(Worker& worker, std::uint64_t seed = 0, RunHooks hooks = {}, RunLimits limits = {}) {
  Status ready = worker.prepare();
  EXPECT_TRUE(ready.has_value()) << (ready ? "" : ready.error().message);
  worker.region().header().run.seed = seed;
  return worker.run(hooks, limits);
}

TEST(Worker, OneServerExecutesManyRuns) {
  auto worker = make(fake("exit3"));
  ASSERT_TRUE(worker->prepare());
  pid_t server = worker->server_pid();
  for (int i = 0; i < 50; i++) {
    RunStatus status = run_once(*worker);
    EXPECT_EQ(status.end, RunEnd::kFinished);
    EXPECT_EQ(WEXITSTATUS(status.wait_status), 3);
  }
  EXPECT_EQ(worker->server_pid(), server);
}

TEST(Worker, EventsBeyondTheRingArriveInOrder) {
  auto worker = make(fake("events"));
  constexpr std::uint64_t kEvents = 3'000'000;  // about three rings full
  std::uint64_t next = 0;
  bool in_order = true;
  RunHooks hooks;
  hooks.on_events = [&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& event : events) in_order = in_order && event.value == next++;
  };
  RunStatus status = run_once(*worker, kEvents, hooks);
  EXPECT_EQ(next, kEvents);
  EXPECT_TRUE(in_order);
  EXPECT_FALSE(status.ring_broken);
  EXPECT_EQ(run_once(*worker, 10).end, RunEnd::kFinished) << "without a reader events are dropped";
}

TEST(Worker, OutputIsCapturedPerRunAndCapped) {
  auto worker = make(fake("print"));
  EXPECT_EQ(run_once(*worker, 11).output.text, "0123456789\n");
  EXPECT_EQ(run_once(*worker, 3).output.text, "012");
  RunStatus big = run_once(*worker, 5'000'000);
  EXPECT_EQ(big.output.text.size(), kOutputLimit);
  EXPECT_EQ(big.output.dropped, 5'000'000 - kOutputLimit);
}

TEST(Worker, StandardInputStartsAtItsBeginningInEachRun) {
  int fd = memfd_create("input", MFD_CLOEXEC);
  ASSERT_EQ(write(fd, "hello", 5), 5);
  WorkerOptions options = fake("cat");
  options.standard_input = fd;
  auto worker = make(options), other = make(options);
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ(run_once(*worker).output.text, "hello");
    EXPECT_EQ(run_once(*other).output.text, "hello");
  }
  close(fd);
}

TEST(Worker, AFailingChildWaitsForItsInspection) {
  auto worker = make(fake("abort"));
  pid_t inspected = 0;
  bool alive = false;
  RunHooks hooks;
  hooks.on_stopped = [&](pid_t child) { inspected = child, alive = kill(child, 0) == 0; };
  ASSERT_TRUE(worker->prepare());
  worker->region().header().run.inspect = 1;
  RunStatus status = worker->run(hooks, {});
  EXPECT_GT(inspected, 0);
  EXPECT_TRUE(alive);
  EXPECT_EQ(WTERMSIG(status.wait_status), SIGABRT);
}

TEST(Worker, ARunWithoutProgressIsAHangAndTheNextOneWorks) {
  auto worker = make(fake("hang"));
  RunEnd why = RunEnd::kFinished;
  RunHooks hooks;
  hooks.on_stuck = [&](pid_t child, RunEnd end) {
    why = end;
    EXPECT_EQ(kill(child, 0), 0);
  };
  RunLimits limits{milliseconds(100), {}};
  for (int i = 0; i < 2; i++) {
    RunStatus status = run_once(*worker, 0, hooks, limits);
    EXPECT_EQ(status.end, RunEnd::kHang);
    EXPECT_EQ(why, RunEnd::kHang);
    EXPECT_EQ(WTERMSIG(status.wait_status), SIGKILL);
  }
}

TEST(Worker, ARunOverItsTimeIsEnded) {
  auto worker = make(fake("slow"));
  EXPECT_EQ(run_once(*worker, 0, {}, {milliseconds(10'000), milliseconds(300)}).end, RunEnd::kTimeout);
}

TEST(Worker, StopEndsARun) {
  std::atomic<bool> stop{false};
  WorkerOptions options = fake("slow");
  options.stop = &stop;
  auto worker = make(options);
  ASSERT_TRUE(worker->prepare());
  stop = true;
  EXPECT_EQ(worker->run({}, {}).end, RunEnd::kInterrupted);
}

TEST(Worker, AProgramThatKillsItsServerIsStartedAgain) {
  auto worker = make(fake("kill-all"));
  for (int i = 0; i < 2; i++) {
    RunStatus status = run_once(*worker);
    EXPECT_EQ(status.end, RunEnd::kServerDied);
    EXPECT_EQ(WTERMSIG(status.wait_status), SIGKILL);
  }
}

TEST(Worker, WhatARunLeavesBehindIsKilled) {
  auto worker = make(fake("daemon"));
  for (int i = 0; i < 3; i++) {
    RunStatus status = run_once(*worker);
    EXPECT_EQ(status.leftovers, 1u);
    EXPECT_EQ(kill_leftovers(worker->server_pid(), {}), 0u);
  }
}

TEST(Worker, AProgramWithoutTheRuntimeIsAnError) {
  auto worker = make(fake("not-instrumented"));
  Status status = worker->prepare();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("status 7 before heddle's runtime in it was ready"));
  WorkerOptions silent = fake("never-ready");
  silent.ready_timeout = milliseconds(100);
  status = make(silent)->prepare();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("did not answer"));
}

TEST(Worker, AMissingProgramOrFolderIsAnError) {
  WorkerOptions options = fake("ok");
  options.launch.program = "/nonexistent";
  EXPECT_THAT(make(options)->prepare().error().message, HasSubstr("cannot execute /nonexistent"));
  options = fake("ok");
  options.launch.cwd = "/nonexistent";
  EXPECT_THAT(make(options)->prepare().error().message, HasSubstr("cannot enter /nonexistent"));
}

TEST(Worker, CountersOfACorruptedChildAreNotBelieved) {
  auto worker = make(fake("lies"));
  RunStatus status = run_once(*worker);
  EXPECT_TRUE(status.ring_broken);
  const HeddleResult result = worker->region().header().result;
  EXPECT_EQ(worker->region().copy<HeddleThreadInfo>(HEDDLE_AREA_THREADS, result.thread_count).size(),
            worker->region().capacity<HeddleThreadInfo>(HEDDLE_AREA_THREADS));
  EXPECT_LE(worker->region().copy<HeddleRace>(HEDDLE_AREA_RACES, result.race_count).size() * sizeof(HeddleRace),
            16u << 20);
  EXPECT_EQ(run_once(*worker).end, RunEnd::kFinished);
}

TEST(Worker, StackAddressesDoNotDependOnSmallDifferencesOfTheEnvironment) {
  WorkerOptions options = fake("address");
  std::string first = run_once(*make(options)).output.text;
  options.launch.environment.push_back("LONGER=environment than before");
  EXPECT_EQ(run_once(*make(options)).output.text, first);
  EXPECT_THAT(first, HasSubstr("0x7ff"));
}

TEST(Worker, OnlyTheStandardDescriptorsAreOpen) {
  int leak = dup(0);  // inheritable
  EXPECT_EQ(run_once(*make(fake("descriptors"))).output.text, "0 1 2 ");
  close(leak);
}

TEST(Worker, PortsOfOneWorkerDoNotMeetThoseOfAnother) {
  auto first = make(fake("listen")), second = make(fake("listen"));
  ASSERT_TRUE(first->prepare());
  if (!first->shortcomings().empty()) GTEST_SKIP() << first->shortcomings().front();
  EXPECT_TRUE(second->prepare());
  WorkerOptions on_host = fake("listen");
  on_host.launch.network = Network::kHost;
  auto third = make(on_host), fourth = make(on_host);
  EXPECT_TRUE(third->prepare());
  EXPECT_FALSE(fourth->prepare());
}

TEST(Worker, CwdCopyGivesEachRunAFreshFolder) {
  const auto folder = TemporaryFolder::create("test");
  ASSERT_TRUE(folder);
  WorkerOptions options = fake("file");
  options.launch.cwd = folder->path();
  options.cwd_copy = true;
  auto worker = make(options);
  for (int i = 0; i < 3; i++) EXPECT_EQ(run_once(*worker).output.text, "0\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder->path()));
}

TEST(Worker, ExecPerRunWorksWithoutAForkServer) {
  WorkerOptions options = fake("print");
  options.fork_server = false;
  auto worker = make(options);
  for (int i = 0; i < 3; i++) EXPECT_EQ(run_once(*worker, 3).output.text, "012");
}

}  // namespace
}  // namespace heddle
