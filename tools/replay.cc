// heddle replay: the program's own output goes where it always goes; ours to stderr.
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/engine/open_trace.h"
#include "src/engine/process_tree.h"
#include "src/engine/session.h"
#include "src/failure/same_failure.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/replay_gdb.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/user.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
The program is the one that the trace names, or PROG; it must be the same build. It runs with the arguments, the
environment (except LD_* and PATH) and the inputs of the trace; ARGS, if given, must be those of the trace.
A trace that you did not make on this machine needs -- PROG or --trust, since it decides what is executed
(docs/security.md). A damaged trace is replayed as far as it is intact.

Examples:
  heddle replay --times 20 queue-1.heddle
  heddle replay --gdb queue-1.heddle

Exit status:
  0     reproduced; the trace has no failure
  66    the failure was reproduced
  3     the replay diverged
  2     usage or input error
  70    a bug in heddle
  130   interrupted

HEDDLE_OPTIONS=key=value:... sets further options; HEDDLE_OPTIONS=help=1 heddle replay lists them.)";

struct ReplayArguments {
  std::string trace;
  std::vector<std::string> program;  // behind --
  std::uint64_t times = 1;
  bool json = false, quiet = false;
  std::string hang_timeout;
  bool gdb = false, start_under_gdb = false, trust = false;
  Options options;
  std::string damage;       // of the trace; empty: none
  std::uint64_t steps = 0;  // that are followed
};

std::optional<int> parse(int argc, char** argv, ReplayArguments& out) {
  SplitArguments split = split_arguments(argc, argv);
  auto options = host_options("replay");
  if (!options) return options.error();
  out.options = *options;
  CommandLine line("heddle replay", "Executes a trace again, with the same schedule and the same inputs.",
                   "heddle replay [OPTIONS] TRACE [-- PROG [ARGS...]]", kFooter);
  line.argument("TRACE", out.trace, "a trace of heddle hunt, record, lift or simplify");
  line.number("--times N", out.times, 1, 1'000'000, "replay N times (default 1)");
  line.text("--hang-timeout DURATION", out.hang_timeout,
            "cut off a replay that reaches no scheduling point for this time (default 10s)");
  line.flag("--gdb", out.gdb,
            "replay in gdb, with the recorded order of threads; `heddle help` there lists the commands (docs/gdb.md)");
  line.flag("--trust", out.trust, "execute a trace that you did not make on this machine (docs/security.md)");
  line.hidden_flag("--start-under-gdb", out.start_under_gdb);  // what gdb starts the program with
  line.flag("--json", out.json, "print one JSON object on stdout, which includes the program's output");
  line.flag("-q,--quiet", out.quiet, "print only the program's own output; the exit status is the answer");
  if (auto status = line.parse(split.own)) return status;
  if (!out.hang_timeout.empty()) {
    auto duration = parse_duration(out.hang_timeout);
    if (!duration) return report_error("replay", duration.error());
    if (duration->count() == 0)
      return report_error("replay", {"invalid --hang-timeout 0: expected a duration above 0", ""});
    out.options.hang_timeout = *duration;
  }
  out.program = split.program;
  if (out.gdb && (out.json || out.times != 1))
    return report_error("replay", {"--gdb is interactive: it cannot be combined with --json or --times", ""});
  return std::nullopt;
}

struct Counts {
  std::uint64_t reproduced = 0, diverged = 0, cut = 0;
};

constexpr std::size_t kLongEnding = 105;  // with the words around it, a line has 120 columns

std::string ending(const ReplayReport& report) {
  if (!report.failure && report.replaced)
    return fmt::format("all steps up to the exec; the new program is not started again{}",
                       report.outcome.races.empty() ? "" : ", and the data race before it");
  if (!report.failure && !report.outcome.races.empty())
    return report.outcome.races.size() == 1 ? "a data race, and no failure"
                                            : fmt::format("{} data races, and no failure", report.outcome.races.size());
  if (report.ended_from_outside) return "all steps until the program was ended from outside";
  if (!report.failure) return "the program ended without a failure";
  const FailureRecord& failure = *report.failure;
  std::string place;
  if (!failure.file.empty())
    place = fmt::format("{}:{}", std::filesystem::path(failure.file).filename().string(), failure.line);
  if (!failure.function.empty()) place += (place.empty() ? "in " : " in ") + failure.function;
  if (!failure.thread.empty()) place += (place.empty() ? "thread " : ", thread ") + failure.thread;
  if (place.empty()) return failure.message;
  return fmt::format("{}{}{}", failure.message, failure.message.size() + place.size() > kLongEnding ? "\n  " : "   ",
                     place);
}

void print_words(const ReplayArguments& arguments, const ReplayReport& report, const Counts& counts,
                 const TraceHead& head) {
  std::string often = arguments.times > 1 ? fmt::format("   {} of {} replays", counts.reproduced, arguments.times) : "";
  if (report.followed_what_is_left && report.replaced) {
    say(stderr,
        "{}: followed all {} step{} up to the exec; what failed is the new program, which is not started again{}\n",
        strong("inconclusive", 2), arguments.steps, arguments.steps == 1 ? "" : "s", often);
    return;
  }
  if (report.followed_what_is_left) {
    say(stderr, "{}: followed all {} intact step{}; the end of the recorded run is lost{}\n", strong("inconclusive", 2),
        arguments.steps, arguments.steps == 1 ? "" : "s", often);
    if (report.failure) say(stderr, "  this replay ended with: {}\n", ending(report));
    return;
  }
  if (counts.diverged == 0) {
    say(stderr, "{}: {}{}\n", head.failure ? alarming("reproduced", 2) : strong("reproduced", 2), ending(report),
               often);
    return;
  }
  const DivergenceText& divergence = *report.divergence;
  say(stderr, "{} at step {}: {}{}\n  expected  {}\n  actual    {}\n", strong("diverged", 2), divergence.step,
             divergence.reason, often, divergence.expected.text, divergence.actual.text);
  if (!arguments.damage.empty())
    say(stderr, "  the damage of the trace can cause this: it says nothing about the program\n");
}

void print_object(const ReplayArguments& arguments, const ReplayReport& report, const Counts& counts) {
  nlohmann::ordered_json out;
  out["reproduced"] = counts.diverged + counts.cut == 0 && report.reproduced;
  out["diverged"] = counts.diverged > 0;
  out["divergence"] = divergence_json(report.divergence);
  out["failure"] = failure_json(report.failure);
  out["times"] = arguments.times;
  out["times_reproduced"] = counts.reproduced;
  out["output"] = report.outcome.output.text;
  out["notes"] = report.outcome.notes;
  out["complete"] = arguments.damage.empty();
  out["damage"] = arguments.damage;
  out["steps"] = arguments.steps;
  print_json(out);
}

int replay_all(const ReplayArguments& arguments, Session& session, const std::atomic<bool>& stop) {
  if (Status ready = session.start(); !ready) return report_error("replay", ready.error());
  const TraceHead& head = session.trace().head();
  Executor& executor = session.executor();
  Counts counts;
  std::optional<ReplayReport> shown;  // the first that diverged, else the last
  for (std::uint64_t i = 0; i < arguments.times; i++) {
    Result<ReplayReport> report = session.replayer().replay(executor);
    if (stop) return kInterruptedExit;
    if (!report) {
      const int status = report_error("replay", report.error());
      return executor.escaped() ? kInconclusive : status;
    }
    // A replay keeps no stacks of events, from which the trace knows what locks are called.
    if (report->reproduced && report->failure && report->failure->kind == HEDDLE_FAIL_DEADLOCK && head.failure &&
        same_failure(*report->failure, *head.failure))
      report->failure = head.failure;
    (report->reproduced ? counts.reproduced : report->followed_what_is_left ? counts.cut : counts.diverged)++;
    if (!shown || !shown->divergence) shown = std::move(*report);
  }
  int lost = 0;
  if (arguments.json)
    lost = written([&] { print_object(arguments, *shown, counts); });
  else if (!arguments.quiet)
    print_words(arguments, *shown, counts, head);
  if (!arguments.json && !arguments.quiet)
    for (const std::string& note : shown->outcome.notes) say(stderr, "  note: {}\n", note);
  if (const std::uint64_t hidden = shown->outcome.output.hidden; hidden > 0 && !arguments.json && !arguments.quiet)
    say(stderr, "  note: {} of binary output not written to the terminal: heddle replay {} > FILE keeps them\n",
        counted("byte", hidden), shell_word(arguments.trace));
  if (lost) say(stderr, "heddle replay: cannot write the answer: {}\n", std::strerror(lost));
  if (counts.diverged + counts.cut > 0 || lost) return kInconclusive;
  return head.failure ? kFound : kClean;
}

}  // namespace

int replay_main(int argc, char** argv) {
  const std::atomic<bool>& stop = catch_interrupts();
  adopt_orphans();
  ReplayArguments arguments;
  if (auto status = parse(argc, argv, arguments)) return *status;
  auto trace = open_trace(arguments.trace);
  if (!trace) return report_error("replay", trace.error());
  arguments.damage = trace->damage();
  if (!arguments.damage.empty() && trace->head().meta.program.empty())
    return report_error(
        "replay",
        {fmt::format("{} is damaged, and the name of its program is lost: {}", arguments.trace, arguments.damage), ""});
  const SessionTask task{.verb = "replay",
                         .trace = arguments.trace,
                         .program = arguments.program,
                         .trust = arguments.trust,
                         .engine = arguments.options,
                         .user = current_user(),
                         .stop = &stop};
  auto session = Session::open(std::move(*trace), task);
  if (!session) return report_error("replay", session.error());
  const Replayer& replayer = session->replayer();
  arguments.steps = replayer.steps();
  if (!arguments.damage.empty() && !arguments.quiet)
    say(stderr, "the trace is damaged: {}; {}\n", arguments.damage,
        replayer.schedule_is_cut()
            ? fmt::format("its first {} can be replayed",
                          arguments.steps == 1 ? "step" : fmt::format("{} steps", arguments.steps))
            : "its schedule is complete");
  WorkerOptions& worker = session->worker();
  const bool terminal = is_terminal(1) || is_terminal(2);  // which binary data would upset
  worker.output = arguments.json                                     ? OutputMode::kCapture
                  : replayer.conditions().wants_output() || terminal ? OutputMode::kTee
                                                                     : OutputMode::kInherit;
  worker.inherited = {0, 1, 2};
  if (arguments.start_under_gdb) return start_under_gdb(*session);
  if (!arguments.quiet)
    say(stderr, "replaying {}   in {}\n", shell_line(worker.launch.argv), worker.launch.cwd.string());
  std::fflush(stderr);
  return arguments.gdb ? run_gdb(*session, arguments.trace, stop) : replay_all(arguments, *session, stop);
}

}  // namespace heddle
