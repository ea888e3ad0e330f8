#include "tools/hunt_gtest.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "src/engine/source_of_program.h"
#include "src/hunt/gtest_list.h"
#include "src/show/words.h"
#include "tools/hunt_one.h"
#include "tools/hunt_reports.h"
#include "tools/json.h"
#include "tools/status.h"
#include "tools/terminal.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMostWords = 160;  // of a failed expectation, on the line of its test

/// queue_test-1.heddle, Ring.Wraps/0 -> queue_test-Ring.Wraps_0-1.heddle; -o t.heddle -> t-Ring.Wraps_0.heddle
fs::path trace_of(const HuntArguments& arguments, const GtestTest& test) {
  std::string name = test.full(), stem = arguments.trace.stem().string();
  std::ranges::replace(name, '/', '_');
  const std::string seed = fmt::format("-{}", arguments.request.seed);
  const bool ours = stem == arguments.program.path.filename().string() + seed;
  if (ours) stem.resize(stem.size() - seed.size());
  fs::path path = arguments.trace;
  path.replace_filename(fmt::format("{}-{}{}{}", stem, name, ours ? seed : "", arguments.trace.extension().string()));
  return path;
}

/// What GoogleTest wrote is in the failures by now (FailureConditions); its files are named as the compiler was told.
void find_sources(Hunted& hunted, const fs::path& program) {
  bool first = true;
  for (ReportedFailure& f : hunted.told.failures) {
    const bool expectation = !f.failure.test.empty();
    if (expectation) f.failure.file = source_of_program(program, f.failure.file);
    if (expectation && first)
      hunted.json["expectation"] = {{"file", f.failure.file}, {"line", f.failure.line}, {"text", f.failure.message}};
    first = false;
  }
}

/// One program, hunted test by test.
class Tests {
 public:
  explicit Tests(HuntArguments& arguments)
      : arguments_(arguments), stem_(arguments.trace), argv_(arguments.request.worker.launch.argv) {}

  void hunt(const GtestTest& test) {
    arguments_.request.worker.launch.argv = argv_;
    arguments_.request.worker.launch.argv.push_back("--gtest_filter=" + test.full());
    arguments_.trace = stem_;
    arguments_.trace = trace_of(arguments_, test);
    arguments_.request.conditions.tell_expectations(test.full());
    Result<Hunted> hunted = hunt_one(arguments_);
    if (!hunted) {
      Hunted untested;
      untested.status = kUsage;
      untested.told.verdict = Verdict::kNotTested;
      untested.told.why = hunted.error().message;
      untested.json = {{"error", hunted.error().message}};
      hunted = std::move(untested);
    }
    find_sources(*hunted, arguments_.program.path);
    add(test, std::move(*hunted));
  }

  /// `why`: "disabled", "interrupted"
  void skip(const GtestTest& test, const char* why) {
    Hunted skipped;
    skipped.told.verdict = Verdict::kSkipped;
    skipped.told.why = why;
    add(test, std::move(skipped));
  }

  /// The last word: what all tests came to.
  int finish() {
    int status = interrupted_ ? kInterruptedExit : kClean;
    for (const int worse : {kUsage, kInconclusive, kFound})
      if (std::ranges::count(statuses_, worse) > 0) status = worse;
    arguments_.request.worker.launch.argv = argv_;
    say([&] {
      if (arguments_.json)
        print_json(object(status));
      else
        heddle::say("{}\n", totals());
    });
    status = write_reports(arguments_, std::move(cases_), status);
    if (lost_ == 0) return status;
    heddle::say(stderr, "heddle hunt: cannot write the answer: {}\n", std::strerror(lost_));
    return status == kClean ? kInconclusive : status;
  }

  bool interrupted() const { return interrupted_; }

 private:
  void say(const std::function<void()>& print) {
    if (const int why = written(print); lost_ == 0) lost_ = why;
  }

  void add(const GtestTest& test, Hunted hunted) {
    hunted.told.suite = test.suite;
    hunted.told.name = test.name;
    interrupted_ |= hunted.json.value("interrupted", false) || *arguments_.request.worker.stop;
    if (hunted.told.verdict != Verdict::kSkipped) {
      statuses_.push_back(hunted.status);
      Json one = {{"test", test.full()}};
      one.update(hunted.json);
      objects_.push_back(std::move(one));
    }
    if (!arguments_.json) say([&] { print_line(test, hunted); });
    cases_.push_back(std::move(hunted.told));
  }

  void print_line(const GtestTest& test, const Hunted& hunted) const {
    const ReportedCase& told = hunted.told;
    const std::string budget = fmt::format("{}, {:.1f} s", counted("run", told.runs), told.seconds);
    switch (told.verdict) {
      case Verdict::kPassed: {
        const std::string races = told.races.empty() ? "" : "   with " + counted("data race", told.races.size());
        if (!arguments_.quiet) heddle::say("ok        {}   {}{}\n", test.full(), budget, races);
        break;
      }
      case Verdict::kSkipped:
        if (!arguments_.quiet) heddle::say("{:<9} {}\n", told.why, test.full());
        break;
      case Verdict::kFailed:
        for (std::size_t i = 0; i < told.failures.size(); i++) {
          print_failure(test, told.failures[i]);
          if (!arguments_.quiet)
            for (const std::string& line : hunted.simplified[i]) heddle::say("            {}\n", line);
        }
        break;
      case Verdict::kInconclusive:
        heddle::say("unclear   {}   {}\n", test.full(), told.why);
        for (const ReportedFailure& f : told.failures)
          heddle::say("            {}   {}\n", f.failure.message, f.replay);
        break;
      case Verdict::kNotTested:
        heddle::say("not done  {}   {}\n", test.full(), told.why);
        break;
    }
  }

  void print_failure(const GtestTest& test, const ReportedFailure& f) const {
    const std::string place =
        f.failure.file.empty() ? "" : fmt::format("   {}:{}", base_name(f.failure.file), f.failure.line);
    heddle::say("{}    {}   {}{}   run {}, seed {}   replay it:  {}\n", alarming("FAILED", 1), test.full(),
               fit(clean(f.failure.message, true), kMostWords, true), place, f.run, arguments_.request.seed, f.replay);
  }

  std::size_t of(Verdict verdict) const {
    return static_cast<std::size_t>(std::ranges::count(cases_, verdict, &ReportedCase::verdict));
  }

  std::string totals() const {
    std::uint64_t runs = 0;
    double seconds = 0;
    for (const ReportedCase& c : cases_) runs += c.runs, seconds += c.seconds;
    std::string out;
    const auto count = [&](Verdict verdict, const char* word) {
      if (const std::size_t n = of(verdict); n > 0 || verdict == Verdict::kFailed || verdict == Verdict::kPassed)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, word);
    };
    count(Verdict::kFailed, "failed");
    count(Verdict::kPassed, "passed");
    count(Verdict::kInconclusive, "inconclusive");
    count(Verdict::kNotTested, "not tested");
    count(Verdict::kSkipped, interrupted_ ? "not run" : "disabled");
    return fmt::format("{}{} of {}: {}   {}, {:.1f} s   {}, seed {}", interrupted_ ? "interrupted: " : "",
                       counted("test", statuses_.size()), fs::path(argv_.front()).filename().string(), out,
                       counted("run", runs), seconds, arguments_.strategy, arguments_.request.seed);
  }

  /// The fields of a hunt, those of the first failing test among them, and all tests.
  Json object(int status) const {
    std::uint64_t runs = 0;
    double seconds = 0;
    for (const ReportedCase& c : cases_) runs += c.runs, seconds += c.seconds;
    const auto found = std::ranges::find_if(objects_, [](const Json& o) { return o.value("found", false); });
    Json out = found == objects_.end() ? Json(Json::object()) : *found;
    out["found"] = status == kFound;
    out["runs"] = runs;
    out["seconds"] = seconds;
    out["strategy"] = arguments_.strategy;
    out["seed"] = arguments_.request.seed;
    for (const char* field : {"trace", "failure", "switches", "preemptions"})
      if (!out.contains(field)) out[field] = nullptr;
    if (!out.contains("races")) out["races"] = Json::array();
    out["interrupted"] = interrupted_;
    out["failed"] = of(Verdict::kFailed);
    out["skipped"] = of(Verdict::kSkipped);
    out["tests"] = objects_;
    return out;
  }

  HuntArguments& arguments_;
  const fs::path stem_;
  const std::vector<std::string> argv_;
  std::vector<ReportedCase> cases_;
  std::vector<Json> objects_;
  std::vector<int> statuses_;  // of the tests that were hunted in
  bool interrupted_ = false;
  int lost_ = 0;  // errno of the first thing that could not be said
};

}  // namespace

int hunt_gtest(HuntArguments& arguments) {
  Launch& launch = arguments.request.worker.launch;
  launch.environment = environment_of_one_test(std::move(launch.environment));
  const auto choices = gtests_of(launch, arguments.user.environment);
  if (!choices) return report_not_tested(arguments, choices.error());
  Tests tests(arguments);
  for (const GtestChoice& choice : *choices) {
    if (choice.run && !tests.interrupted())
      tests.hunt(choice.test);
    else
      tests.skip(choice.test, choice.run ? "interrupted" : "disabled");
  }
  return tests.finish();
}

}  // namespace heddle
