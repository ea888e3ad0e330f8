// heddle hunt: its progress, answer and reports.
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "src/engine/process_tree.h"
#include "src/engine/way_in.h"
#include "src/hunt/find.h"
#include "src/show/words.h"
#include "tools/hunt_answer.h"
#include "tools/hunt_arguments.h"
#include "tools/hunt_bisect.h"
#include "tools/hunt_gtest.h"
#include "tools/hunt_one.h"
#include "tools/json.h"
#include "tools/simplify_answer.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

void show_progress(const HuntArguments& arguments, const HuntProgress& progress) {
  const CoverageSummary& seen = progress.coverage;
  std::string more =
      seen.runs == 0 ? ""
                     : fmt::format("  reads-from pairs {} ({} in {} runs)  classes {}", seen.reads_from,
                                   seen.quiet ? "none new" : "new", seen.quiet ? seen.quiet : seen.runs, seen.classes);
  if (progress.failures) more += "  " + counted("distinct failure", progress.failures);
  say(stderr, "\r\033[K  {} of {}  {:.0f}/s  {}  {}  {}{}", progress.runs,
             counted("run", arguments.request.runs),
             progress.seconds > 0 ? static_cast<double>(progress.runs) / progress.seconds : 0.0,
             counted("thread", progress.threads), counted("data race", progress.races),
             counted("racy point", progress.racy_points), more);
  std::fflush(stderr);
}

FindProgress progress_of(const HuntArguments& arguments) {
  if (arguments.json || arguments.quiet || !is_terminal(2)) return {};
  return {[&](const HuntProgress& progress) { show_progress(arguments, progress); }, show_simplify_progress,
          [] { say(stderr, "\r\033[K"); }};
}

Result<Answer> find(HuntArguments& arguments) {
  arguments.give_up = &outlast_interrupts();
  return find(arguments, progress_of(arguments));
}

// The trace is written by now: a found failure stays found when nobody could be told.
int lost_answer(const Answer& answer, int why) {
  say(stderr, "heddle hunt: cannot write the answer: {}\n", std::strerror(why));
  const std::optional<std::size_t> foremost = answer.foremost();
  if (!foremost) return kInconclusive;
  const ToldFailure& told = answer.told[*foremost];
  say(stderr, "  {}; the trace is {}\n", told.witness->head.failure->message, told.trace.string());
  return status_of(answer);
}

ReportedFailure reported(const Answer& answer, std::size_t i) {
  const ToldFailure& told = answer.told[i];
  return {told.failure(), told.trace, "heddle replay " + shell_word(told.trace.string()),
          answer.result.failures[i].index + 1};
}

std::string why_inconclusive(const Answer& answer) {
  const std::optional<std::size_t> foremost = answer.foremost();
  if (!foremost) return answer.result.interrupted ? "interrupted" : "no run ended";
  const Witness& witness = *answer.told[*foremost].witness;
  if (witness.out_of_time) return "failed once; the time was used up before it was executed again";
  if (witness.interrupted) return "failed once; interrupted before it was executed again";
  if (witness.error) return "failed once; it could not be executed again: " + witness.error->message;
  return "failed once; not reproduced with the same schedule and inputs: " + witness.difference;
}

// The foremost, and behind it all others that are confirmed.
std::vector<std::size_t> indices_to_report(const Answer& answer) {
  const std::optional<std::size_t> foremost = answer.foremost();
  if (!foremost) return {};
  std::vector<std::size_t> out = {*foremost};
  for (std::size_t i = *foremost + 1; i < answer.told.size(); i++)
    if (answer.told[i].confirmed()) out.push_back(i);
  return out;
}

ReportedCase case_of(const HuntArguments& arguments, const Answer& answer) {
  ReportedCase out = program_case(arguments);
  const int status = status_of(answer);
  out.verdict = status == kFound   ? Verdict::kFailed
                : status == kClean ? Verdict::kPassed
                : status == kUsage ? Verdict::kNotTested
                                   : Verdict::kInconclusive;
  if (out.verdict == Verdict::kNotTested) out.why = found_but_not_written(arguments, answer).message;
  if (out.verdict == Verdict::kInconclusive) out.why = why_inconclusive(answer);
  out.runs = answer.result.runs;
  out.seconds = answer.result.seconds;
  out.races = answer.races.races;
  out.notes = answer.result.notes;
  if (const std::optional<std::size_t> foremost = answer.foremost())
    out.output = answer.told[*foremost].witness->head.output;
  for (const std::size_t i : indices_to_report(answer)) out.failures.push_back(reported(answer, i));
  return out;
}

int hunt_program(HuntArguments& arguments) {
  Result<Answer> answer = find(arguments);
  if (!answer) return report_not_tested(arguments, answer.error());
  const int status = write_reports(arguments, {case_of(arguments, *answer)}, status_of(*answer));
  if (int why = written([&] { print_answer(arguments, *answer); })) return lost_answer(*answer, why);
  return status;
}

}  // namespace

Result<Hunted> hunt_one(HuntArguments& arguments) {
  Result<Answer> answer = find(arguments);
  if (!answer) return std::unexpected(answer.error());
  Hunted hunted{status_of(*answer), case_of(arguments, *answer), {}, object_of(arguments, *answer)};
  for (const std::size_t i : indices_to_report(*answer)) hunted.simplified.push_back(simplified_words(answer->told[i]));
  return hunted;
}

int hunt_main(int argc, char** argv) {
  HuntArguments arguments;
  arguments.request.worker.stop = &catch_interrupts();
  adopt_orphans();
  const auto hunt = [&] {
    if (auto status = parse_hunt(argc, argv, arguments)) return *status;
    if (is_plain(arguments.program) && !arguments.json && !arguments.quiet)
      say(stderr, "hunting {}: not built by heddle cc, so only its synchronisation calls are controlled\n",
                 arguments.request.worker.launch.argv.front());
    return arguments.gtest ? hunt_gtest(arguments) : hunt_program(arguments);
  };
  return wants_bisect(argc, argv) ? bisect_status(hunt, arguments.understood) : hunt();
}

}  // namespace heddle
