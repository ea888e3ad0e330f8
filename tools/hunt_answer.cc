#include "tools/hunt_answer.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/engine/way_in.h"
#include "src/show/kind_text.h"
#include "src/show/timeouts.h"
#include "src/show/words.h"
#include "tools/json.h"
#include "tools/status.h"

namespace heddle {
namespace {

// "1 data race was", "2 data races were"
std::string were(std::string_view noun, std::uint64_t n) { return counted(noun, n) + (n == 1 ? " was" : " were"); }

// One entry per variable, with all pairs of places:
//   shared: write a.c:8 in put (thread 0.1)  and  read a.c:5 in take (thread 0.2)
//           write a.c:8 in put (thread 0.1)  and  write a.c:9 in take (thread 0.2)
void print_groups(const std::vector<RaceGroup>& groups) {
  for (const RaceGroup& group : groups)
    for (const RaceRecord* race : group.races) {
      const std::string name = group.variable + ": ";
      say("    {}{}  and  {}\n", race == group.races.front() ? name : std::string(name.size(), ' '),
                 access_text(race->first), access_text(race->second));
    }
}

void print_races(const std::vector<RaceRecord>& races, const FailureRecord* failure) {
  if (races.empty()) return;
  const std::vector<RaceGroup> groups = grouped_races(races, failure);
  say("  {}\n", counted_races(groups));
  print_groups(groups);
}

// The race that explains the failure stands next to it.
void print_race_at_failure(const std::vector<RaceRecord>& races, const FailureRecord& failure) {
  for (const RaceGroup& group : grouped_races(races, &failure))
    if (group.at_failure)
      say("  data race on {}: {}  and  {}\n", group.variable, access_text(group.races.front()->first),
                 access_text(group.races.front()->second));
}

std::size_t count_pairs(const std::vector<RaceRecord>& races) {
  std::size_t count = 0;
  for (const RaceGroup& group : grouped_races(races, nullptr)) count += group.races.size();
  return count;
}

// Seen by the detector in a run of the search, which was not executed again.
void print_seen_once(const RaceFindings& found) {
  if (found.seen_once.empty()) return;
  const std::vector<RaceGroup> groups = grouped_races(found.seen_once, nullptr);
  say("  {} seen once, not executed again {}\n", counted_races(groups),
             found.out_of_time ? "for lack of time"
             : found.stopped   ? "since the hunt was interrupted"
                               : "since enough others were");
  print_groups(groups);
}

// No run ended: what was executed all the same, and what can be done.
void print_unfinished(const HuntArguments& arguments, const StoppedRuns& stopped) {
  if (stopped.runs > 0)
    say("  the time was used up: {} stopped after {}, with {}\n",
        stopped.runs == 1 ? "the run was" : counted("run", stopped.runs) + " were", counted("step", stopped.steps),
        counted("thread", stopped.threads));
  if (arguments.quiet) return;
  say("  next     use a longer --time, a smaller input or fewer threads\n");
  if (!is_plain(arguments.program))
    say("           compile files that only compute without hooks: clang -g -c FILE instead of heddle cc\n");
}

constexpr std::size_t kLongLine = 120;

std::string at(const Frame& frame) {
  return frame.file.empty()
             ? std::string()
             : fmt::format(" at {}:{}", std::filesystem::path(frame.file).filename().string(), frame.line);
}

// "0.1 waits: lock b.m at bank.cc:10, held by 0.2 (taken at bank.cc:9)", "0 waits: join 0.1 at bank.cc:16"
void print_wait(const DeadlockEdge& edge) {
  std::string text = fmt::format("{} waits: {}{}", edge.thread, to_text(edge), at(edge.wait_site));
  if (is_held(edge)) {
    text += ", held by " + edge.holder;
    if (std::string taken = at(edge.hold_site); !taken.empty()) text += fmt::format(" (taken{})", taken);
  }
  say("  {}\n", text);
}

void print_how_to_get_lines() { say("  next     build the program with -g to see files, lines and values\n"); }

// Whether the debug information of the program says where its code is (an assertion knows its own line without).
bool has_lines(const FailureRecord& failure) {
  bool any = false;
  for (const ThreadAtFailure& thread : failure.threads)
    for (const Frame& frame : thread.stack) {
      if (frame.system) continue;
      if (!frame.file.empty()) return true;
      any = true;
    }
  return !any;  // the program was gone: nothing to judge by
}

bool lacks_lines(const RaceRecord& race) { return race.first.file.empty() && race.second.file.empty(); }

void print_next(const HuntArguments& arguments, const std::filesystem::path& path) {
  std::string trace = shell_word(path.string());
  say("  trace    {}      replay it:  heddle replay {}\n", trace, trace);
  if (!arguments.quiet)
    say("           {}      look at it:  heddle show {}\n", std::string(trace.size(), ' '), trace);
}

// "11 threads, 89 steps, 46 switches, 30 preemptions"
std::string totals_text(const TraceHead& head) {
  return fmt::format("{}, {}, {}, {}", counted("thread", head.threads.size()), counted("step", head.totals.steps),
                     head.totals.switches == 1 ? "1 switch" : fmt::format("{} switches", head.totals.switches),
                     counted("preemption", head.totals.preemptions));
}

// "found as shop-1-full.heddle: 3 threads, 12 steps, 5 switches, 4 preemptions"
std::string found_as(const ToldFailure& told) {
  return fmt::format("found as {}: {}", told.simplified->original.string(), totals_text(told.witness->head));
}

std::string run_text(const HuntArguments& arguments, const FailingRun& failing) {
  return fmt::format("run {}, seed {}", failing.index + 1, arguments.request.seed);
}

void print_not_written(const HuntArguments& arguments, const FailingRun& failing, const ToldFailure& told) {
  say("{}  {}   {}\n  no trace was written, and the run was not executed again: {}\n", alarming("FAILED", 1),
      failing.outcome.failure->message, run_text(arguments, failing), told.not_written->message);
}

void print_early_timeouts(const std::filesystem::path& path) {
  auto trace = TraceReader::open(path);
  if (!trace) return;
  if (auto timeouts = early_timeouts(*trace))
    for (const EarlyTimeout& timeout : *timeouts) say("  {}\n", in_words(timeout));
}

// With --simplify all that is said is of the simplified trace, since that is the one to look at; the run is the hunt's.
void print_failure(const HuntArguments& arguments, const FailingRun& failing, const ToldFailure& told) {
  if (!told.witness) return print_not_written(arguments, failing, told);
  const Witness& witness = *told.witness;
  const std::optional<SimplifiedFinding>& simplified = told.simplified;
  const FailureRecord& failure = told.failure();
  std::string where = place_text(failure), what = failure.message;
  std::string run = run_text(arguments, failing);
  const bool not_again = witness.interrupted || witness.error;  // which says nothing about the program
  const char* word = witness.confirmed || not_again ? "FAILED" : "FAILED ONCE";
  // Long expressions and names leave no room: then the second line has where and when.
  const std::size_t first = std::strlen(word) + 2 + what.size() + 3 + where.size();
  const bool place_fits = where.empty() || first <= kLongLine,
             run_fits = place_fits && first + 3 + run.size() <= kLongLine;
  say("{}  {}{}{}{}{}\n", alarming(word, 1), what,
             where.empty() ? ""
             : place_fits  ? "   "
                           : "\n  ",
             where, run_fits || !place_fits ? "   " : "\n  ", run);
  if (witness.out_of_time)
    say("  seen once, not executed again for lack of time; the replay below does that\n");
  else if (witness.interrupted)
    say("  not executed again yet: interrupted; the replay below does that\n");
  else if (witness.error)
    say("  the run could not be executed again: {}\n", witness.error->message);
  else if (!witness.confirmed)
    say("  not reproduced with the same schedule and inputs: {}; the program depends on something that is not "
        "controlled\n",
        witness.difference);
  for (const DeadlockEdge& edge : failure.deadlock) print_wait(edge);
  for (const std::string& note : failure.notes) say("  {}\n", note);
  print_race_at_failure(witness.head.races, failure);
  if (simplified && !arguments.quiet)
    for (const std::string& line : simplified_lines(*simplified, shell_word(told.trace.string())))
      say("  {}\n", line);
  if (!arguments.quiet && !simplified) print_early_timeouts(told.trace);
  print_next(arguments, told.trace);
  if (simplified && simplified->answer && !arguments.quiet) say("  {}\n", found_as(told));
  if (!has_lines(failure) && !arguments.quiet) print_how_to_get_lines();
}

// "3 distinct failures in 10000 runs: deadlock (41 runs, first 3), ..."
void print_summary(const HuntResult& result) {
  constexpr std::size_t kLongest = 60;
  std::string list;
  for (const FailingRun& failing : result.failures) {
    const FailureRecord& failure = *failing.outcome.failure;
    // An exit is its status; of several of one kind, the kind does not say which.
    const bool kind_says_it =
        failure.kind != HEDDLE_FAIL_EXIT && std::ranges::count_if(result.failures, [&](const FailingRun& other) {
                                              return other.outcome.failure->kind == failure.kind;
                                            }) == 1;
    list += fmt::format(
        "{}{} ({}, first {})", list.empty() ? "" : ", ",
        kind_says_it ? std::string(to_text(failure.kind)) : fit(clean(failure.message, true), kLongest, true),
        counted("run", failing.times), failing.index + 1);
  }
  say("{}{} in {}, {:.1f} s: {}\n", result.interrupted ? "interrupted: " : "",
             counted("distinct failure", result.failures.size()), counted("run", result.runs), result.seconds, list);
}

nlohmann::ordered_json failures_json(const Answer& answer) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < answer.told.size(); i++) {
    const FailingRun& failing = answer.result.failures[i];
    const ToldFailure& told = answer.told[i];
    out.push_back({{"failure", failure_json(told.witness ? told.failure() : failing.outcome.failure)},
                   {"first_run", failing.index + 1},
                   {"runs", failing.times},
                   {"confirmed", told.confirmed()},
                   {"trace", told.witness ? nlohmann::ordered_json(told.trace.string()) : nullptr}});
    if (told.not_written) out.back()["error"] = told.not_written->message;
    if (told.simplified) out.back()["simplified"] = simplified_json(*told.simplified, told.trace);
  }
  return out;
}

void print_cut_off(const CutOffRuns& cut) {
  if (cut.at_bound)
    say("  note: {} cut off at the step bound, {}after {}, while threads still made progress, so the outcome is not "
        "known; --max-steps N raises the bound\n",
        were("run", cut.at_bound), cut.at_bound == 1 ? "" : "the longest ", counted("step", cut.steps));
  if (cut.over_time)
    say("  note: {} cut off at --run-timeout, so the outcome is not known; use a longer --run-timeout\n",
        were("run", cut.over_time));
  if (cut.uncontrolled)
    say("  note: {} ended when all threads waited, beside a thread that heddle does not control: it may wake them, so "
        "this is not known to be a deadlock\n",
        counted("run", cut.uncontrolled));
}

void print_words(const HuntArguments& arguments, const Answer& answer) {
  const HuntResult& result = answer.result;
  const std::optional<std::size_t> foremost = answer.foremost();
  if (!answer.told.empty()) {
    for (std::size_t i = 0; i < answer.told.size(); i++) print_failure(arguments, result.failures[i], answer.told[i]);
    if (arguments.request.keep_going) print_summary(result);
  } else {
    const bool none_ended = result.runs == result.cut_off.all();
    const char* answer_words = none_ended && result.interrupted ? "interrupted: no run ended"
                               : none_ended                           ? "inconclusive: no run ended"
                               : result.interrupted                   ? "interrupted: nothing failed"
                                                                      : "nothing failed";
    const std::size_t races = count_pairs(answer.races.races) + count_pairs(answer.races.seen_once);
    say("{} in {}{}, {:.1f} s   {}, seed {}\n", answer_words, counted("run", result.runs),
               races ? ", with " + counted("data race", races) : "", result.seconds, arguments.strategy,
               arguments.request.seed);
    if (answer.race_trace) print_next(arguments, arguments.trace);
    if (result.runs == 0 && !result.interrupted) print_unfinished(arguments, result.stopped);
  }
  if (!result.complete.empty()) say("  {}\n", result.complete);
  if (arguments.quiet) return;
  if (result.coverage.runs > 0 && result.complete.empty()) say("  {}\n", describe(result.coverage));
  print_races(answer.races.races, foremost ? &answer.told[*foremost].failure() : nullptr);
  print_seen_once(answer.races);
  if (answer.told.empty() && !answer.races.races.empty() && arguments.request.points == HEDDLE_POINTS_RACY &&
      !is_plain(arguments.program))
    say("  next     --points all switches at all other accesses too; heddle cc -fsanitize=address detects memory "
        "errors\n");
  if (answer.told.empty() && std::ranges::any_of(answer.races.races, lacks_lines)) print_how_to_get_lines();
  if (answer.told.empty() && result.runs > 0 && is_plain(arguments.program))
    say("  next     build it with heddle cc or heddle c++ to control memory accesses and detect data races\n");
  if (answer.no_race_trace) say("  note: {}\n", answer.no_race_trace->message);
  // Of several failures, or of one that was simplified, what is said of each stands there.
  if (foremost && !arguments.request.keep_going) {
    const ToldFailure& told = answer.told[*foremost];
    if (told.witness->head.totals.steps > 0 && !(told.simplified && told.simplified->answer))
      say("  {}\n", totals_text(told.witness->head));
  }
  for (const std::string& note : result.notes) say("  note: {}\n", note);
  print_cut_off(result.cut_off);
  if (answer.races.unconfirmed > 0)
    say("  note: {} seen once, and not reproduced when the run was executed again\n",
        were("more data race", answer.races.unconfirmed));
  if (const std::size_t more = answer.races.not_tried - answer.races.seen_once.size(); more > 0)
    say("  note: {} seen; the runs that showed {} were not executed again: {}\n", were("more data race", more),
        more == 1 ? "it" : "them",
        answer.races.out_of_time ? "the time was used up"
        : answer.races.stopped   ? "interrupted"
                                 : "enough others were");
  if (result.stopped.runs > 0 && result.runs > 0 && result.stopped.steps >= result.progress.longest)
    say("  note: the time was used up: {} stopped, the longest after {}\n", were("run", result.stopped.runs),
               counted("step", result.stopped.steps));
}

}  // namespace

std::vector<std::string> simplified_words(const ToldFailure& told) {
  if (!told.simplified) return {};
  std::vector<std::string> out = simplified_lines(*told.simplified, shell_word(told.trace.string()));
  if (told.simplified->answer) out.push_back(found_as(told));
  return out;
}

std::optional<std::size_t> Answer::foremost() const {
  std::optional<std::size_t> written;
  for (std::size_t i = 0; i < told.size(); i++) {
    if (told[i].confirmed()) return i;
    if (told[i].witness && !written) written = i;
  }
  return written;
}

int status_of(const Answer& answer) {
  if (const auto foremost = answer.foremost()) return answer.told[*foremost].confirmed() ? kFound : kInconclusive;
  if (!answer.told.empty()) return kUsage;  // nothing could be written
  if (answer.result.interrupted) return kInterruptedExit;
  return answer.result.runs == answer.result.cut_off.all() ? kInconclusive : kClean;
}

nlohmann::ordered_json object_of(const HuntArguments& arguments, const Answer& answer) {
  const HuntResult& result = answer.result;
  nlohmann::ordered_json races = nlohmann::ordered_json::array();
  const auto add = [&](const std::vector<RaceRecord>& some, bool repeated) {
    for (const RaceRecord& race : some) races.push_back(race_json(race)), races.back()["repeated"] = repeated;
  };
  add(answer.races.races, true);
  add(answer.races.seen_once, false);
  nlohmann::ordered_json out;
  const std::optional<std::size_t> foremost = answer.foremost();
  const ToldFailure* told = foremost ? &answer.told[*foremost] : nullptr;
  const TraceHead* head = told ? &told->witness->head : nullptr;
  if (!told && !answer.told.empty()) out["error"] = answer.told.front().not_written->message;
  out["found"] = told && told->confirmed();
  out["runs"] = result.runs;
  out["seconds"] = result.seconds;
  out["strategy"] = arguments.strategy;
  out["time_model"] = arguments.request.time_model == TimeModel::kLoose ? "loose" : "virtual";
  out["points"] = arguments.points;
  out["seed"] = arguments.request.seed;
  out["trace"] = told                ? nlohmann::ordered_json(told->trace.string())
                 : answer.race_trace ? nlohmann::ordered_json(arguments.trace.string())
                                     : nlohmann::ordered_json();
  out["failure"] = failure_json(told ? std::optional(told->failure()) : std::nullopt);
  out["races"] = std::move(races);
  out["switches"] = head ? nlohmann::ordered_json(head->totals.switches) : nullptr;
  out["preemptions"] = head ? nlohmann::ordered_json(head->totals.preemptions) : nullptr;
  out["threads"] = result.progress.threads;
  out["steps"] = head ? head->totals.steps : result.progress.longest;
  out["diverged"] = told && !told->confirmed() && !told->witness->interrupted && !told->witness->error;
  out["interrupted"] = result.interrupted;
  out["out_of_time"] = result.out_of_time;
  out["stopped"] = {
      {"runs", result.stopped.runs}, {"steps", result.stopped.steps}, {"threads", result.stopped.threads}};
  out["cut_off"] = {{"at_step_bound", result.cut_off.at_bound},
                    {"steps", result.cut_off.steps},
                    {"over_time", result.cut_off.over_time},
                    {"uncontrolled_thread", result.cut_off.uncontrolled}};
  out["races_unconfirmed"] = answer.races.unconfirmed + answer.races.not_tried;
  if (told && told->simplified) out["simplified"] = simplified_json(*told->simplified, told->trace);
  if (arguments.request.keep_going) out["failures"] = failures_json(answer);
  if (is_exhaustive(arguments.request.strategy)) out["complete"] = result.complete;
  const CoverageSummary& seen = result.coverage;
  out["coverage"] = {{"runs", seen.runs},
                     {"of_runs", seen.of_runs},
                     {"reads_from", seen.reads_from},
                     {"classes", seen.classes},
                     {"reads_from_sets", seen.shapes},
                     {"classes_seen_once", seen.once},
                     {"schedules_waiting", seen.waiting.value_or(0)},
                     {"unseen_at_least", seen.runs && !seen.waiting ? seen.unseen_at_least() : 0.0}};
  out["notes"] = result.notes;
  return out;
}

void print_answer(const HuntArguments& arguments, const Answer& answer) {
  if (arguments.json)
    print_json(object_of(arguments, answer));
  else
    print_words(arguments, answer);
}

}  // namespace heddle
