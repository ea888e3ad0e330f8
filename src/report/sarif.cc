#include "src/report/sarif.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <xxhash.h>
#include <nlohmann/json.hpp>

#include "src/report/locations.h"
#include "src/report/rules.h"
#include "src/report/thread_flows.h"
#include "src/show/kind_text.h"
#include "src/show/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

Json message(std::string_view text) { return {{"text", text}}; }

Json tool_json(const Report& report) {
  Json all = Json::array();
  for (const Rule& rule : rules())
    all.push_back({{"id", rule.id},
                   {"name", rule.name},
                   {"shortDescription", message(rule.text)},
                   {"help", message("heddle replay TRACE executes it again, heddle show TRACE shows what happened, "
                                    "heddle simplify TRACE reduces it to the switches that matter.")},
                   {"defaultConfiguration", {{"level", rule.level}}}});
  return {{"driver",
           {{"name", "heddle"},
            {"fullName", "Heddle, a concurrency debugger for C and C++"},
            {"version", report.heddle_version},
            {"rules", std::move(all)}}}};
}

/// Equal for the same bug over runs, machines and lines that moved.
Json fingerprint(std::string_view what) {
  return {{"heddleSignature/v1", fmt::format("{:016x}", XXH3_64bits(what.data(), what.size()))}};
}

Json result_json(FailureKind kind) {
  const std::size_t rule = rule_of(kind);
  return {{"ruleId", rules()[rule].id}, {"ruleIndex", rule}, {"level", rules()[rule].level}};
}

class Log {
 public:
  explicit Log(const Report& report) : report_(report), locations_(report.cwd, report.source_root) {}

  Json make() {
    Json results = Json::array();
    for (const ReportedCase& c : report_.cases) {
      if (c.verdict == Verdict::kFailed)
        for (const ReportedFailure& f : c.failures) results.push_back(failure(c, f));
      for (const RaceRecord& race : c.races) add_race(results, c, race);
    }
    Json run = {{"tool", tool_json(report_)},
                {"automationDetails", {{"id", "heddle hunt/" + report_.program}}},
                {"invocations", Json::array({invocation()})},
                {"originalUriBaseIds", {{kSourceRoot, {{"uri", folder_uri(report_.source_root)}}}}},
                {"columnKind", "utf16CodeUnits"},
                {"results", std::move(results)}};
    return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  }

 private:
  Json invocation() const {
    Json told = Json::array();
    bool tested = true;
    for (const ReportedCase& c : report_.cases) {
      if (c.verdict != Verdict::kInconclusive && c.verdict != Verdict::kNotTested) continue;
      tested &= c.verdict != Verdict::kNotTested;
      const std::string seen = c.failures.empty() ? "" : ": " + c.failures.front().failure.message;
      told.push_back({{"level", c.verdict == Verdict::kNotTested ? "error" : "warning"},
                      {"message", message(fmt::format("{}: {}{}", c.name, c.why, seen))}});
    }
    Json out = {{"commandLine", report_.command},  {"workingDirectory", {{"uri", folder_uri(report_.cwd)}}},
                {"startTimeUtc", report_.started}, {"endTimeUtc", report_.ended},
                {"exitCode", report_.exit_status}, {"executionSuccessful", tested}};
    if (!told.empty()) out["toolExecutionNotifications"] = std::move(told);
    return out;
  }

  std::string where_from(const ReportedCase& c) const {
    return report_.cases.size() > 1 ? fmt::format("{}.{}", c.suite, c.name) : "";
  }

  Json failure(const ReportedCase& c, const ReportedFailure& reported) const {
    const FailureRecord& f = reported.failure;
    const std::string test = where_from(c);
    Json out = result_json(f.kind);
    out["message"] =
        message(fmt::format("{}{}. Replay it: {}", test.empty() ? "" : test + ": ", f.message, reported.replay));
    out["locations"] = Json::array({locations_.location(f.file, f.line, f.function)});
    out["partialFingerprints"] = fingerprint(test + "|" + f.signature);
    Json stacks = Json::array();
    for (const ThreadAtFailure& thread : f.threads) {
      Json stack = locations_.stack(thread.stack, fmt::format("thread {}: {}", thread.thread, to_text(thread.state)));
      if (!stack.is_null()) stacks.push_back(std::move(stack));
    }
    if (!stacks.empty()) out["stacks"] = std::move(stacks);
    add_code_flow(out, reported);
    out["attachments"] = Json::array(
        {{{"description", message("the trace")}, {"artifactLocation", locations_.artifact(reported.trace.string())}}});
    out["properties"] = {{"signature", f.signature}, {"thread", f.thread},        {"run", reported.run},
                         {"seed", report_.seed},     {"replay", reported.replay}, {"test", test}};
    return out;
  }

  void add_code_flow(Json& out, const ReportedFailure& reported) const {
    const auto trace = TraceReader::open(reported.trace);
    if (!trace) return;
    Json flows = thread_flows(*trace, locations_);
    if (flows.empty()) return;
    const Totals& totals = trace->head().totals;
    out["codeFlows"] =
        Json::array({{{"message", message(fmt::format("{} threads, {} switches, {} of them preemptions", flows.size(),
                                                      totals.switches, totals.preemptions))},
                      {"threadFlows", std::move(flows)}}});
  }

  Json access_flow(const RaceAccess& access, int order) const {
    Json location = {{"location", locations_.location(own_frame(access), access_text(access))},
                     {"executionOrder", order},
                     {"importance", "essential"}};
    return {{"id", access.thread},
            {"message", message("thread " + access.thread)},
            {"locations", Json::array({std::move(location)})}};
  }

  /// Several accesses of one line, in a template say, are one thing to the reader; several tests meet the same race.
  void add_race(Json& results, const ReportedCase& c, const RaceRecord& race) {
    const std::string variable = race.variable.empty() ? "memory" : race.variable;
    const std::string text =
        fmt::format("data race on {}: {} and {}", variable, access_text(race.first), access_text(race.second));
    if (!told_.insert(text).second) return;
    Json out = result_json(HEDDLE_FAIL_RACE);
    out["message"] = message(text);
    const Frame first = own_frame(race.first), second = own_frame(race.second);
    out["locations"] = Json::array({locations_.location(second)});
    Json related = locations_.location(first, access_text(race.first));
    related["id"] = 1;
    out["relatedLocations"] = Json::array({std::move(related)});
    out["partialFingerprints"] =
        fingerprint(fmt::format("race|{}|{} {}|{} {}", variable, access_token(race.first.kind), first.function,
                                access_token(race.second.kind), second.function));
    Json stacks = Json::array();
    for (const RaceAccess* access : {&race.first, &race.second})
      if (Json stack = locations_.stack(access->stack, access_text(*access)); !stack.is_null())
        stacks.push_back(std::move(stack));
    if (!stacks.empty()) out["stacks"] = std::move(stacks);
    Json flows = Json::array({access_flow(race.first, 1), access_flow(race.second, 2)});
    out["codeFlows"] = Json::array({{{"threadFlows", std::move(flows)}}});
    out["properties"] = {{"variable", variable}, {"size", race.size}, {"test", where_from(c)}};
    results.push_back(std::move(out));
  }

  const Report& report_;
  Locations locations_;
  std::set<std::string> told_;
};

/// Viewers show these strings as they are.
void neutralise(Json& json) {
  if (json.is_string())
    json = neutral(json.get_ref<const std::string&>());
  else if (json.is_structured())
    for (Json& part : json) neutralise(part);
}

}  // namespace

std::string sarif_log(const Report& report) {
  Json log = Log(report).make();
  neutralise(log);
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle
