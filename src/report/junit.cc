#include "src/report/junit.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "src/report/xml.h"
#include "src/show/kind_text.h"
#include "src/show/words.h"

namespace heddle {
namespace {

constexpr std::size_t kMostOutput = 64 << 10;  // of a program's output; its end is what matters

struct Sums {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const ReportedCase& c) {
    ++tests;
    failures += c.verdict == Verdict::kFailed;
    errors += c.verdict == Verdict::kInconclusive || c.verdict == Verdict::kNotTested;
    skipped += c.verdict == Verdict::kSkipped;
    seconds += c.seconds;
  }
  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", tests, failures, errors,
                       skipped, seconds);
  }
};

std::string stacks(const FailureRecord& failure) {
  std::string out;
  for (const ThreadAtFailure& thread : failure.threads) {
    out += fmt::format("\nthread {}: {}\n", thread.thread, to_text(thread.state));
    for (const Frame& f : thread.stack) {
      if (f.system) continue;
      out += fmt::format("  {}{}\n", f.function.empty() ? "?" : f.function,
                         f.file.empty() ? "" : fmt::format(" at {}:{}", f.file, f.line));
    }
  }
  return out;
}

std::string failure_text(const ReportedFailure& reported) {
  const FailureRecord& f = reported.failure;
  std::string out = fmt::format("{}\n", f.message);
  if (const std::string place = place_text(f); !place.empty()) out += fmt::format("{}\n", place);
  out += fmt::format("signature: {}\nfailed in run {}\nreplay it: {}\n", f.signature, reported.run, reported.replay);
  for (const std::string& note : f.notes) out += note + "\n";
  return out + stacks(f);
}

/// One element, whatever was found: not every reader takes several.
std::string failures(const ReportedCase& c) {
  if (c.failures.empty()) return {};
  std::string text;
  for (const ReportedFailure& f : c.failures) text += (text.empty() ? "" : "\n") + failure_text(f);
  const bool failed = c.verdict == Verdict::kFailed;
  const FailureRecord& first = c.failures.front().failure;
  const std::string more = c.failures.size() > 1 ? fmt::format(" (and {} more)", c.failures.size() - 1) : "";
  const char* element = failed ? "failure" : "error";
  return fmt::format("      <{} type=\"{}\" message=\"{}\">{}</{}>\n", element,
                     xml_attribute(failed ? token(first.kind) : "inconclusive"),
                     xml_attribute((failed ? "" : c.why + ": ") + first.message + more), xml_text(text), element);
}

std::string verdict(const ReportedCase& c) {
  if (c.verdict == Verdict::kSkipped) return fmt::format("      <skipped message=\"{}\"/>\n", xml_attribute(c.why));
  if (!c.failures.empty()) return failures(c);
  if (c.verdict != Verdict::kInconclusive && c.verdict != Verdict::kNotTested) return {};
  return fmt::format("      <error type=\"{}\" message=\"{}\"/>\n",
                     c.verdict == Verdict::kNotTested ? "not tested" : "inconclusive", xml_attribute(c.why));
}

/// Races are no failures: they stand beside what the program wrote.
std::string findings(const ReportedCase& c) {
  std::string out;
  for (const RaceRecord& race : c.races)
    out += fmt::format("data race on {}: {} and {}\n", race.variable.empty() ? "memory" : race.variable,
                       access_text(race.first), access_text(race.second));
  for (const std::string& note : c.notes) out += fmt::format("note: {}\n", note);
  return out;
}

std::string element(const char* name, std::string_view text) {
  if (text.empty()) return {};
  return fmt::format("      <{}>{}</{}>\n", name, xml_text(text), name);
}

std::string testcase(const ReportedCase& c) {
  const std::string binary = is_binary(c.output) ? binary_text(c.output) : "";
  const std::string_view output = binary.empty() ? std::string_view(c.output) : binary;
  const std::string body = verdict(c) +
                           element("system-out", output.substr(output.size() - std::min(output.size(), kMostOutput))) +
                           element("system-err", findings(c));
  const std::string head = fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\"",
                                       xml_attribute(c.name), xml_attribute(c.suite), c.seconds);
  return body.empty() ? head + "/>\n" : head + ">\n" + body + "    </testcase>\n";
}

std::string property(const char* name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_attribute(value));
}

std::string testsuite(const Report& report, const std::string& name, const std::vector<const ReportedCase*>& cases) {
  Sums sums;
  std::uint64_t runs = 0;
  for (const ReportedCase* c : cases) sums.add(*c), runs += c->runs;
  std::string out = fmt::format("  <testsuite name=\"{}\" {} timestamp=\"{}\">\n    <properties>\n",
                                xml_attribute(name), sums.attributes(), xml_attribute(report.started));
  out += property("command", report.command) + property("strategy", report.strategy) +
         property("seed", std::to_string(report.seed)) + property("runs", std::to_string(runs)) +
         property("heddle", report.heddle_version) + "    </properties>\n";
  for (const ReportedCase* c : cases) out += testcase(*c);
  return out + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(const Report& report) {
  Sums sums;
  std::vector<std::string> order;
  std::map<std::string, std::vector<const ReportedCase*>> suites;
  for (const ReportedCase& c : report.cases) {
    sums.add(c);
    auto& cases = suites[c.suite];
    if (cases.empty()) order.push_back(c.suite);
    cases.push_back(&c);
  }
  std::string out = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle hunt\" {}>\n",
                                sums.attributes());
  for (const std::string& name : order) out += testsuite(report, name, suites[name]);
  return out + "</testsuites>\n";
}

}  // namespace heddle
