// heddle hunt: options, progress, and the answer in words or as JSON.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "src/engine/process_tree.h"
#include "src/hunt/hunt.h"
#include "src/hunt/races.h"
#include "src/hunt/witness.h"
#include "tools/hunt_arguments.h"
#include "tools/json.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

Meta meta_of(const HuntArguments& arguments) {
  Meta meta;
  meta.heddle_version = HEDDLE_VERSION;
  meta.program = arguments.program.path.string();
  meta.build_id = arguments.program.build_id;
  meta.cwd = arguments.request.worker.launch.cwd.string();
  meta.argv = arguments.request.worker.launch.argv;
  meta.environment = arguments.request.worker.launch.environment;
  meta.has_standard_input = arguments.input.has_value();
  if (arguments.input) meta.standard_input = arguments.input->bytes;
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  meta.created = text;
  utsname machine{};
  if (uname(&machine) == 0) meta.machine = fmt::format("{} {} {}", machine.sysname, machine.release, machine.machine);
  return meta;
}

void show_progress(const HuntArguments& arguments, const HuntProgress& progress) {
  fmt::print(stderr, "\r\033[K  {} runs  {:.0f}/s  {} threads  {} data races  {} racy points", progress.runs,
             progress.seconds > 0 ? static_cast<double>(progress.runs) / progress.seconds : 0.0, progress.threads,
             progress.races, progress.racy_points);
  if (arguments.request.runs > 0) fmt::print(stderr, "  of {} runs", arguments.request.runs);
  std::fflush(stderr);
}

std::string place(const FailureRecord& failure) {
  std::string out;
  if (!failure.file.empty())
    out = fmt::format("{}:{}", std::filesystem::path(failure.file).filename().string(), failure.line);
  if (!failure.function.empty()) out += fmt::format("{}in {}", out.empty() ? "" : " ", failure.function);
  if (!failure.thread.empty()) out += fmt::format("{}thread {}", out.empty() ? "" : ", ", failure.thread);
  return out;
}

// Where the user's own code made the access: inside a library's template, the frame that called it.
std::string access_line(const RaceAccess& access) {
  std::string function = access.function, file = access.file;
  std::uint32_t line = access.line;
  auto own = std::find_if(access.stack.begin(), access.stack.end(),
                          [](const Frame& frame) { return !frame.system && !frame.file.empty(); });
  if (own != access.stack.end()) function = own->function, file = own->file, line = own->line;
  std::string where = file.empty() ? "" : fmt::format(" {}:{}", std::filesystem::path(file).filename().string(), line);
  return fmt::format("{}{}{} (thread {})", access.kind, where, function.empty() ? "" : " in " + function,
                     access.thread);
}

void print_races(const std::vector<RaceRecord>& races) {
  if (races.empty()) return;
  fmt::print("  {} data race{}\n", races.size(), races.size() == 1 ? "" : "s");
  std::set<std::string> printed;  // several accesses of one line, in a template say, are one thing to the reader
  for (const RaceRecord& race : races) {
    std::string text = fmt::format("{}  and  {}", access_line(race.first), access_line(race.second));
    if (printed.insert(text).second) fmt::print("    {}: {}\n", race.variable.empty() ? "memory" : race.variable, text);
  }
}

struct Answer {
  HuntResult result;
  std::optional<Witness> witness;
  RaceFindings races;
};

int status_of(const Answer& answer) {
  if (answer.witness) return answer.witness->confirmed ? kFound : kInconclusive;
  if (answer.result.interrupted) return kInterruptedExit;
  return answer.result.runs == 0 ? kInconclusive : kClean;
}

void print_failure(const HuntArguments& arguments, const Answer& answer) {
  const Witness& witness = *answer.witness;
  const FailureRecord& failure = *witness.head.failure;
  std::string where = place(failure);
  fmt::print("{}  {}{}{}   run {}, seed {}\n", alarming(witness.confirmed ? "FAILED" : "FAILED ONCE", 1),
             failure.message, where.empty() ? "" : "   ", where, answer.result.runs, arguments.request.seed);
  if (!witness.confirmed)
    fmt::print(
        "  executed again with the same schedule and inputs, {}: the program depends on something that is not "
        "controlled\n",
        witness.difference);
  for (const DeadlockEdge& edge : failure.deadlock)
    fmt::print("  {} waits: {} {}{}{}\n", edge.thread, edge.operation, edge.object,
               edge.holder.empty() ? "" : ", held by ", edge.holder);
  for (const std::string& note : failure.notes) fmt::print("  {}\n", note);
  std::string trace = shell_word(arguments.trace.string());
  fmt::print("  trace    {}      replay it:  heddle replay {}\n", trace, trace);
}

void print_words(const HuntArguments& arguments, const Answer& answer) {
  const HuntResult& result = answer.result;
  if (answer.witness) {
    print_failure(arguments, answer);
  } else {
    const char* answer_words = result.runs == 0     ? "inconclusive: no run ended"
                               : result.interrupted ? "interrupted: nothing failed"
                                                    : "nothing failed";
    fmt::print("{} in {} run{}, {:.1f} s   {}, seed {}\n", answer_words, result.runs, result.runs == 1 ? "" : "s",
               result.seconds, arguments.strategy, arguments.request.seed);
    if (result.runs == 0 && !arguments.quiet)
      fmt::print(
          "  one run takes longer than the hunt may: give it more --time, or --run-timeout makes a long run a "
          "livelock\n");
  }
  if (arguments.quiet) return;
  print_races(answer.races.races);
  if (answer.witness && answer.witness->head.totals.steps > 0)
    fmt::print("  {} threads, {} steps, {} switches, {} preemptions\n", answer.witness->head.threads.size(),
               answer.witness->head.totals.steps, answer.witness->head.totals.switches,
               answer.witness->head.totals.preemptions);
  for (const std::string& note : result.notes) fmt::print("  note: {}\n", note);
  if (answer.races.unconfirmed > 0)
    fmt::print("  note: {} more data races were seen once and not again\n", answer.races.unconfirmed);
}

void print_object(const HuntArguments& arguments, const Answer& answer) {
  const HuntResult& result = answer.result;
  nlohmann::ordered_json races = nlohmann::ordered_json::array();
  for (const RaceRecord& race : answer.races.races) races.push_back(race_json(race));
  nlohmann::ordered_json out;
  bool found = answer.witness && answer.witness->confirmed;
  out["found"] = found;
  out["runs"] = result.runs;
  out["seconds"] = result.seconds;
  out["strategy"] = arguments.strategy;
  out["points"] = arguments.points;
  out["seed"] = arguments.request.seed;
  out["trace"] = answer.witness ? nlohmann::ordered_json(arguments.trace.string()) : nullptr;
  out["failure"] = failure_json(answer.witness ? answer.witness->head.failure : std::nullopt);
  out["races"] = std::move(races);
  out["switches"] = answer.witness ? nlohmann::ordered_json(answer.witness->head.totals.switches) : nullptr;
  out["preemptions"] = answer.witness ? nlohmann::ordered_json(answer.witness->head.totals.preemptions) : nullptr;
  out["threads"] = result.progress.threads;
  out["steps"] = answer.witness ? answer.witness->head.totals.steps : result.progress.longest;
  out["diverged"] = answer.witness && !answer.witness->confirmed;
  out["interrupted"] = result.interrupted;
  out["notes"] = result.notes;
  print_json(out);
}

// The search must not be lost with its trace: the same seed finds the failure again.
Error found_but_not_written(const HuntArguments& arguments, const HuntResult& result, const Error& why) {
  const FailingRun& failing = *result.failing;
  return {fmt::format("{} in run {}, seed {}, but {}", failing.outcome.failure->message, failing.index + 1,
                      arguments.request.seed, why.message),
          why.advice};
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
  auto executor = Executor::create(arguments.request.worker, std::make_shared<SiteCache>());
  if (!executor) return std::unexpected(executor.error());
  answer.races = confirm_races(arguments.request, answer.result, **executor);
  if (!answer.result.failing) return answer;
  auto witness = write_witness(arguments.request, answer.result, meta_of(arguments), answer.races.races,
                               arguments.trace, **executor);
  if (!witness) return std::unexpected(found_but_not_written(arguments, answer.result, witness.error()));
  answer.witness = std::move(*witness);
  return answer;
}

}  // namespace

int hunt_main(int argc, char** argv) {
  HuntArguments arguments;
  arguments.request.worker.stop = &catch_interrupts();
  adopt_orphans();
  if (auto status = parse_hunt(argc, argv, arguments)) return *status;
  Result<Answer> answer = find(arguments);
  if (!answer) return report_error("hunt", answer.error());
  if (arguments.json)
    print_object(arguments, *answer);
  else
    print_words(arguments, *answer);
  return status_of(*answer);
}

}  // namespace heddle
