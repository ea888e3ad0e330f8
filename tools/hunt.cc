// heddle hunt: the search, its progress, and the traces of what it found.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "src/engine/process_tree.h"
#include "src/hunt/hunt.h"
#include "src/hunt/races.h"
#include "src/hunt/witness.h"
#include "src/show/words.h"
#include "tools/describe_run.h"
#include "tools/hunt_answer.h"
#include "tools/hunt_arguments.h"
#include "tools/hunt_bisect.h"
#include "tools/hunt_gtest.h"
#include "tools/hunt_one.h"
#include "tools/hunt_simplify.h"
#include "tools/json.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/verbs.h"
#include "tools/way_in.h"

namespace heddle {
namespace {

Meta meta_of(const HuntArguments& arguments) {
  Meta meta = describe_run(arguments.program, arguments.request.worker.launch);
  meta.has_standard_input = arguments.input.has_value();
  if (arguments.input) meta.standard_input = arguments.input->bytes;
  return meta;
}

void show_progress(const HuntArguments& arguments, const HuntProgress& progress) {
  const CoverageSummary& seen = progress.coverage;
  std::string more =
      seen.runs == 0 ? ""
                     : fmt::format("  reads-from pairs {} ({} in {} runs)  classes {}", seen.reads_from,
                                   seen.quiet ? "none new" : "new", seen.quiet ? seen.quiet : seen.runs, seen.classes);
  if (progress.failures) more += "  " + counted("distinct failure", progress.failures);
  fmt::print(stderr, "\r\033[K  {} of {}  {:.0f}/s  {}  {}  {}{}", progress.runs,
             counted("run", arguments.request.runs),
             progress.seconds > 0 ? static_cast<double>(progress.runs) / progress.seconds : 0.0,
             counted("thread", progress.threads), counted("data race", progress.races),
             counted("racy point", progress.racy_points), more);
  std::fflush(stderr);
}


// The search must not be lost with its trace: the same seed finds the failure again.
Error found_but_not_written(const HuntArguments& arguments, const HuntResult& result, const Error& why) {
  const FailingRun& failing = *result.failing;
  return {fmt::format("{} in run {}, seed {}, but {}", failing.outcome.failure->message, failing.index + 1,
                      arguments.request.seed, why.message),
          why.advice};
}

// Nothing failed, but there are races: the first run that shows one can be replayed and looked at.
void trace_race(const HuntArguments& arguments, Answer& answer, Executor& executor) {
  const RaceFindings& found = answer.races;
  if (found.races.empty()) return;
  std::vector<RaceRecord> shown;
  for (std::size_t i = 0; i < found.races.size(); i++)
    if (found.runs[i] == found.runs.front()) shown.push_back(found.races[i]);
  auto head = write_race_trace(arguments.request, answer.result, found.runs.front(), meta_of(arguments),
                               std::move(shown), arguments.trace, executor);
  if (head)
    answer.race_trace = std::move(*head);
  else
    answer.no_race_trace = head.error();
}

// --keep-going: PROG-SEED.heddle, PROG-SEED-2.heddle ...
Status write_others(const HuntArguments& arguments, Answer& answer, Executor& executor, bool live) {
  HuntResult& result = answer.result;
  for (std::size_t i = 1; i < result.failures.size(); i++) {
    std::filesystem::path path = arguments.trace;
    path.replace_filename(fmt::format("{}-{}{}", path.stem().string(), i + 1, path.extension().string()));
    result.failing = result.failures[i];
    auto witness = write_witness(arguments.request, result, meta_of(arguments), answer.races.races, path, executor);
    if (!witness) return std::unexpected(found_but_not_written(arguments, result, witness.error()));
    answer.others.push_back({std::move(*witness), path, std::nullopt});
    if (arguments.simplify && answer.others.back().witness.confirmed)
      answer.others.back().simplified = simplify_finding(arguments, path, live);
  }
  if (!result.failures.empty()) result.failing = result.failures.front();
  return {};
}

Result<Answer> find(HuntArguments& arguments) {
  bool live = !arguments.json && !arguments.quiet && is_terminal(2);
  auto result = hunt(arguments.request, [&](const HuntProgress& progress) {
    if (live) show_progress(arguments, progress);
  });
  if (live) fmt::print(stderr, "\r\033[K");
  if (!result) return std::unexpected(result.error());
  Answer answer;
  answer.result = std::move(*result);
  if (!answer.result.failing && answer.result.races.empty()) return answer;
  if (answer.result.interrupted) go_on_after_interrupt();
  auto executor = Executor::create(arguments.request.worker, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  answer.races = confirm_races(arguments.request, answer.result, **executor);
  answer.result.interrupted |= answer.races.interrupted;
  if (!answer.result.failing) return trace_race(arguments, answer, **executor), std::move(answer);
  auto witness = write_witness(arguments.request, answer.result, meta_of(arguments), answer.races.races,
                               arguments.trace, **executor);
  if (!witness) return std::unexpected(found_but_not_written(arguments, answer.result, witness.error()));
  answer.witness = std::move(*witness);
  if (arguments.simplify && answer.witness->confirmed)
    answer.simplified = simplify_finding(arguments, arguments.trace, live);
  if (Status others = write_others(arguments, answer, **executor, live); !others)
    return std::unexpected(others.error());
  return answer;
}


// The trace is written by now: a found failure stays found when nobody could be told.
int lost_answer(const HuntArguments& arguments, const Answer& answer, int why) {
  fmt::print(stderr, "heddle hunt: cannot write the answer: {}\n", std::strerror(why));
  if (answer.witness)
    fmt::print(stderr, "  {}; the trace is {}\n", answer.witness->head.failure->message, arguments.trace.string());
  return answer.witness ? status_of(answer) : kInconclusive;
}

ReportedFailure reported(const FailureRecord& failure, const std::filesystem::path& trace, std::uint64_t run) {
  return {failure, trace, "heddle replay " + shell_word(trace.string()), run};
}

std::string why_inconclusive(const Answer& answer) {
  if (answer.witness)
    return "failed once; executed again with the same schedule and inputs, " + answer.witness->difference;
  return answer.result.interrupted ? "interrupted" : "no run ended";
}

ReportedCase case_of(const HuntArguments& arguments, const Answer& answer) {
  ReportedCase out = program_case(arguments);
  const int status = status_of(answer);
  out.verdict = status == kFound ? Verdict::kFailed : status == kClean ? Verdict::kPassed : Verdict::kInconclusive;
  if (out.verdict == Verdict::kInconclusive) out.why = why_inconclusive(answer);
  out.runs = answer.result.runs;
  out.seconds = answer.result.seconds;
  out.races = answer.races.races;
  out.notes = answer.result.notes;
  if (!answer.witness) return out;
  out.failures.push_back(reported(failure_of(*answer.witness, answer.simplified), arguments.trace,
                                  answer.result.failing->index + 1));
  for (std::size_t i = 0; i < answer.others.size(); i++)
    if (const OtherFailure& other = answer.others[i]; other.witness.confirmed)
      out.failures.push_back(reported(failure_of(other.witness, other.simplified), other.trace,
                                      answer.result.failures[i + 1].index + 1));
  out.output = answer.witness->head.output;
  return out;
}

int hunt_program(HuntArguments& arguments) {
  Result<Answer> answer = find(arguments);
  if (!answer) return report_not_tested(arguments, answer.error());
  const int status = write_reports(arguments, {case_of(arguments, *answer)}, status_of(*answer));
  if (int why = written([&] { print_answer(arguments, *answer); })) return lost_answer(arguments, *answer, why);
  return status;
}

}  // namespace

Result<Hunted> hunt_one(HuntArguments& arguments) {
  Result<Answer> answer = find(arguments);
  if (!answer) return std::unexpected(answer.error());
  return Hunted{status_of(*answer), case_of(arguments, *answer), object_of(arguments, *answer)};
}

int hunt_main(int argc, char** argv) {
  HuntArguments arguments;
  arguments.request.worker.stop = &catch_interrupts();
  adopt_orphans();
  const auto hunt = [&] {
    if (auto status = parse_hunt(argc, argv, arguments)) return *status;
    if (is_plain(arguments.program) && !arguments.json && !arguments.quiet)
      fmt::print(stderr, "hunting {}: not built by heddle cc, so only its synchronisation calls are controlled\n",
                 arguments.request.worker.launch.argv.front());
    return arguments.gtest ? hunt_gtest(arguments) : hunt_program(arguments);
  };
  return wants_bisect(argc, argv) ? bisect_status(hunt, arguments.understood) : hunt();
}

}  // namespace heddle
