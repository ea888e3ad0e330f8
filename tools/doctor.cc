// heddle doctor: what will and will not work on this machine, each shown by doing it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/doctor/doctor.h"
#include "tools/cc.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
Checks what control needs from the kernel. Then hunts in a small program with a known bug, and replays the failure:
with each way to build a program (heddle cc, an unmodified binary, objects of -fsanitize=thread) and with each backend.

Examples:
  heddle doctor

Exit status:
  0     control is proven
  3     control is not proven: the lines that are not ok say why
  2     usage error)";

Parts parts_of_this_heddle() {
  std::error_code none;
  Parts parts;
  parts.heddle = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path library = parts.heddle.parent_path().parent_path() / "lib" / "heddle";
  parts.clang = clang_path();
  parts.plugin = library / "heddle-pass.so";
  parts.runtime = library / "libheddle_rt.a";
  parts.symbols = library / "heddle_rt.syms";
  parts.preload = library / "libheddle_preload.so";
  parts.canary = library / "heddle-canary";
  parts.environment = current_environment();
  return parts;
}

const char* word(Verdict verdict) {
  return verdict == Verdict::kFine ? "ok" : verdict == Verdict::kLess ? "less" : "not ok";
}

struct Report {
  std::vector<Finding> machine, canaries;
  bool proven = false;
};

Report examine() {
  const Parts parts = parts_of_this_heddle();
  Report report;
  report.machine = check_machine();
  for (auto more : {check_parts(parts), check_surroundings(parts)})
    report.machine.insert(report.machine.end(), more.begin(), more.end());
  report.canaries = run_canaries(parts);
  const auto holds = [](const Finding& finding) { return finding.verdict != Verdict::kBroken; };
  report.proven = std::ranges::all_of(report.machine, holds) && std::ranges::all_of(report.canaries, holds);
  return report;
}

void print_line(const Finding& finding) {
  const std::string verdict = fmt::format("{:<7}", word(finding.verdict));
  say("  {} {:<36} {}\n", finding.verdict == Verdict::kBroken ? alarming(verdict, 1) : Painted{verdict}, finding.name,
             finding.text);
  if (finding.verdict != Verdict::kFine && !finding.advice.empty()) say("  {:<44} {}\n", "", finding.advice);
}

// "heddle cc on baton, heddle cc on fibers"
std::string names(const std::vector<Finding>& findings, bool proven) {
  std::string out;
  for (const Finding& finding : findings)
    if ((finding.verdict == Verdict::kFine) == proven) out += (out.empty() ? "" : ", ") + finding.name;
  return out;
}

void print_words(const Report& report, bool quiet) {
  if (report.proven)
    say("{}: {}\n", strong("control is proven on this machine", 1), names(report.canaries, true));
  else
    say("{}\n", alarming("control is not proven on this machine", 1));
  for (const auto* findings : {&report.machine, &report.canaries})
    for (const Finding& finding : *findings)
      if (!quiet || finding.verdict == Verdict::kBroken) print_line(finding);
  if (!report.proven && !quiet) {
    const std::string works = names(report.canaries, true), fails = names(report.canaries, false);
    say("  works here: {}\n", works.empty() ? "nothing" : works);
    say("  does not: {}\n", fails.empty() ? "see above" : fails);
  }
}

void print_object(const Report& report) {
  nlohmann::ordered_json out;
  out["proven"] = report.proven;
  for (const auto& [key, findings] : {std::pair{"checks", &report.machine}, std::pair{"canaries", &report.canaries}}) {
    out[key] = nlohmann::ordered_json::array();
    for (const Finding& finding : *findings)
      out[key].push_back({{"name", finding.name},
                          {"verdict", word(finding.verdict)},
                          {"text", finding.text},
                          {"advice", finding.verdict == Verdict::kFine ? "" : finding.advice}});
  }
  print_json(out);
}

}  // namespace

int doctor_main(int argc, char** argv) {
  bool json = false, quiet = false;
  CommandLine line("heddle doctor", "Checks what works on this machine.", "heddle doctor [OPTIONS]", kFooter);
  line.flag("--json", json, "print one JSON object on stdout");
  line.flag("--quiet", quiet, "print only the answer and what does not work");
  if (auto status = line.parse({argv, argv + argc})) return *status;
  const Report report = examine();
  const int lost = written([&] { json ? print_object(report) : print_words(report, quiet); });
  if (lost) say(stderr, "heddle doctor: cannot write the answer: {}\n", std::strerror(lost));
  return report.proven && !lost ? kClean : kInconclusive;
}

}  // namespace heddle
