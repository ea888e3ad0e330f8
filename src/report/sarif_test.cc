// The shape of a log; tests/e2e/ci.py validates logs of real hunts against the schema.
#include "src/report/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "src/report/locations.h"
#include "src/report/rules.h"
#include "src/report/thread_flows.h"
#include "src/trace/container.h"
#include "src/trace/random_trace.h"
#include "src/trace/temporary_folder.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

class Sarif : public testing::Test {
 protected:
  Sarif() {
    auto made = TemporaryFolder::create("sarif");
    EXPECT_TRUE(made);
    made_ = std::move(*made);
    folder_ = made_.path();
  }

  fs::path write(const TraceHead& head, std::span<const HeddleEvent> events) {
    const fs::path file = folder_ / "t.heddle";
    auto writer = TraceWriter::create(file);
    EXPECT_TRUE(writer && writer->append(events) && writer->finish(head));
    return file;
  }
  static Report report_of(const FailureRecord& failure, const fs::path& trace) {
    ReportedCase c;
    c.suite = c.name = "queue", c.verdict = Verdict::kFailed;
    c.failures.push_back({failure, trace, "heddle replay t.heddle", 3});
    Report report;
    report.cwd = report.source_root = "/src";
    report.cases = {c};
    return report;
  }
  static Json run_of(const Report& report) { return Json::parse(sarif_log(report))["runs"][0]; }

  TemporaryFolder made_;
  fs::path folder_;
};

FailureRecord failure_at(std::uint32_t line) {
  FailureRecord f;
  f.kind = HEDDLE_FAIL_ASSERTION, f.signature = "assertion|take", f.message = "assertion `n > 0`";
  f.thread = "0.1", f.function = "take", f.file = "/src/a b/queue.cc", f.line = line;
  return f;
}

TEST_F(Sarif, EveryThreadOfATraceHasOneFlowInOneOrder) {
  const TraceHead head = sample_head();
  const Json run = run_of(report_of(*head.failure, write(head, sample_events())));
  const Json& flows = run["results"][0]["codeFlows"][0]["threadFlows"];
  ASSERT_EQ(flows.size(), head.threads.size());
  std::set<int> orders;
  std::size_t locations = 0;
  for (std::size_t t = 0; t < flows.size(); ++t) {
    EXPECT_EQ(flows[t]["id"], head.threads[t].name);
    ASSERT_FALSE(flows[t]["locations"].empty());
    int last = 0;
    for (const Json& location : flows[t]["locations"]) {
      EXPECT_GT(location["executionOrder"], last);
      last = location["executionOrder"];
      orders.insert(last);
      ++locations;
    }
  }
  EXPECT_EQ(orders.size(), locations);  // no moment belongs to two threads
}

TEST_F(Sarif, PreemptionsAndTheFailureAreMarked) {
  TraceHead head = sample_head();
  head.failure->thread = head.threads.back().name;
  std::vector<HeddleEvent> events;
  for (const std::uint16_t thread : {0, 1, 0}) {
    HeddleEvent e{};
    e.thread = thread, e.kind = HEDDLE_EV_YIELD, e.flags = HEDDLE_EF_POINT;
    e.flags |= events.size() == 2 ? HEDDLE_EF_PREEMPTED | HEDDLE_EF_SWITCH : 0;
    events.push_back(e);
  }
  const fs::path file = write(head, events);
  const Json run = run_of(report_of(*head.failure, file));
  const Json& flows = run["results"][0]["codeFlows"][0]["threadFlows"];
  const Json& first = flows[0]["locations"][0];
  EXPECT_EQ(first["properties"]["preempted"], true);
  EXPECT_EQ(first["properties"]["switch"], head.threads[1].name);
  EXPECT_EQ(first["importance"], "essential");
  EXPECT_THAT(first["location"]["message"]["text"].get<std::string>(), HasSubstr("preempted here: thread"));
  EXPECT_EQ(flows[1]["locations"][0]["properties"]["preempted"], false);
  const Json& last = flows[head.threads.size() - 1]["locations"].back();
  EXPECT_EQ(last["properties"]["failed"], true);
}

TEST_F(Sarif, TheFingerprintIsOfTheSignatureNotOfTheLine) {
  const auto print = [](const Report& r) { return run_of(r)["results"][0]["partialFingerprints"]; };
  const Json one = print(report_of(failure_at(10), "")), moved = print(report_of(failure_at(11), ""));
  EXPECT_EQ(one, moved);
  FailureRecord other = failure_at(10);
  other.signature = "assertion|give";
  EXPECT_NE(one, print(report_of(other, "")));
}

TEST_F(Sarif, FilesBelowTheRootAreRelativeToItAndEncoded) {
  const Json run = run_of(report_of(failure_at(10), ""));
  const Json& place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b/queue.cc");
  EXPECT_EQ(place["artifactLocation"]["uriBaseId"], "SRCROOT");
  EXPECT_EQ(place["region"]["startLine"], 10);
  EXPECT_EQ(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///src/");
  const Locations elsewhere("/build", "/src");
  EXPECT_EQ(elsewhere.artifact("x.cc")["uri"], "file:///build/x.cc");
  EXPECT_EQ(elsewhere.artifact("../src/\xff.cc")["uri"], "%FF.cc");
  EXPECT_EQ(elsewhere.artifact("/srcs/x")["uri"], "file:///srcs/x");
}

TEST_F(Sarif, OnlyWhatWasExecutedAgainIsAResult) {
  Report report = report_of(failure_at(10), "");
  report.cases[0].verdict = Verdict::kInconclusive;
  report.cases[0].why = "failed once";
  const Json run = run_of(report);
  EXPECT_TRUE(run["results"].empty());
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"][0]["level"], "warning");
}

TEST_F(Sarif, RacesAreWarningsTheSameRaceOnce) {
  Report report = report_of(failure_at(10), "");
  RaceRecord race;
  race.variable = "hits", race.size = 4;
  race.first = {"0.1", HEDDLE_EV_WRITE, "serve", "/src/hits.c", 7, {}};
  race.second = {"0.2", HEDDLE_EV_READ, "serve", "/src/hits.c", 8, {}};
  report.cases[0].races = {race, race};
  const Json run = run_of(report);
  ASSERT_EQ(run["results"].size(), 2u);
  const Json& found = run["results"][1];
  EXPECT_EQ(found["ruleId"], "race");
  EXPECT_EQ(found["level"], "warning");
  EXPECT_EQ(found["locations"][0]["physicalLocation"]["region"]["startLine"], 8);
  EXPECT_EQ(found["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 7);
  EXPECT_EQ(found["codeFlows"][0]["threadFlows"].size(), 2u);
}

TEST_F(Sarif, EveryKindHasItsRule) {
  EXPECT_EQ(rules()[rule_of(HEDDLE_FAIL_NONE)].id, "other");
  for (int kind = HEDDLE_FAIL_NONE + 1; kind < HEDDLE_FAIL_COUNT; ++kind)
    EXPECT_EQ(rules()[rule_of(static_cast<FailureKind>(kind))].id, token(static_cast<FailureKind>(kind)));
}

TEST_F(Sarif, ALongTraceIsFoldedAndSaysSo) {
  ProgramLikeEvents program(3);
  TraceHead head = program_like_head();
  head.failure = failure_at(1);
  const std::vector<HeddleEvent> events = program.next(200'000);
  const Json run = run_of(report_of(*head.failure, write(head, events)));
  std::size_t locations = 0, folds = 0, switches = 0;
  std::set<std::string> names;
  for (const ThreadRecord& thread : head.threads) names.insert(thread.name);
  for (const Json& flow : run["results"][0]["codeFlows"][0]["threadFlows"])
    for (const Json& one : flow["locations"]) {
      ++locations;
      const Json properties = one.value("properties", Json::object());
      folds += properties.contains("notShown");
      if (!properties.contains("switch")) continue;
      ++switches;
      EXPECT_NE(properties["switch"], flow["id"]);
      EXPECT_TRUE(names.contains(properties["switch"]));
    }
  EXPECT_GT(locations, 100u);
  EXPECT_LT(locations, 1'500u);
  EXPECT_GT(folds, 0u);
  EXPECT_GT(switches, 0u);
}

TEST_F(Sarif, AnyTraceGivesALog) {
  std::mt19937_64 rng(7);
  for (int i = 0; i < 60; ++i) {
    TraceHead head = random_head(rng);
    if (!head.failure) head.failure = failure_at(1);
    const fs::path file = write(head, random_events(rng, 300));
    const Json run = run_of(report_of(*head.failure, file));
    EXPECT_EQ(run["results"].size(), 1u);
  }
}

}  // namespace
}  // namespace heddle
