// heddle record: the program runs as always, its streams and status are its own; what we say goes to stderr.
#include <bit>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "src/engine/describe_run.h"
#include "src/engine/find_program.h"
#include "src/engine/process_tree.h"
#include "src/engine/way_in.h"
#include "src/record/record.h"
#include "src/show/summary.h"
#include "src/show/words.h"
#include "src/trace/new_trace.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/signals.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/user.h"
#include "tools/verbs.h"
#include "tools/version.h"

namespace heddle {
namespace {

constexpr int kRecordFailed = 125;

constexpr const char* kFooter = R"(
Threads run in parallel, on all processors. The trace contains the exact order of synchronisation and of conflicting
accesses, and all input (time, files, sockets, random bytes, signals). heddle replay TRACE executes it again.

SIGINT, SIGTERM, SIGHUP and SIGQUIT are forwarded to the program. A script or launcher runs to its end; the first
program in it that heddle can control is recorded, and the exit status is the script's.

Examples:
  heddle record -o run.heddle -- ./program --threads 4
  heddle record --with 'python3 client.py 8080' -- ./server --port 8080

Exit status:
  the program's own (128 + signal), except:
  0     the program was ended by the SIGTERM of --with, or killed after it
  66    all threads were in a deadlock
  125   the program could not be recorded)";

struct RecordArguments {
  RecordRequest request;
  ProgramInfo program;
  std::string mode = "vectors", trace, network = "host";
  std::string kept;  // a trace that has the usual name already
  bool json = false, quiet = false;
};

std::atomic<std::uint64_t> came_though_ignored{0};

/// A shell without job control starts its background jobs with SIGINT and SIGQUIT ignored, nohup with SIGHUP. A program
/// that installs a handler gets them all the same, so they must not end here. Null: none was inherited as ignored.
std::atomic<std::uint64_t>* collect_ignored_signals() {
  struct sigaction action {};
  action.sa_handler = [](int number) { came_though_ignored.fetch_or(std::uint64_t{1} << (number - 1)); };
  action.sa_flags = SA_RESTART;
  bool any = false;
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before;
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN)
      any |= sigaction(number, &action, nullptr) == 0;
  }
  return any ? &came_though_ignored : nullptr;
}

int failed(const Error& error) {
  report_error("record", error);
  return kRecordFailed;
}

std::optional<int> parse(int argc, char** argv, RecordArguments& out) {
  SplitArguments split = split_arguments(argc, argv);
  auto options = host_options("record");
  if (!options) return options.error();
  out.request.options = *options;
  CommandLine line("heddle record", "Runs the program with its threads in parallel, and records what a replay needs.",
                   "heddle record [OPTIONS] -- PROG ARGS...", kFooter);
  line.choice("--mode MODE", out.mode, {"vectors"},
              "choose what is recorded: vectors (default; the exact order of all accesses)");
  line.text(
      "-o,--output FILE", out.trace,
      "write the trace to FILE, and replace FILE if it exists (default: PROG.heddle, or PROG.2.heddle and so on if "
      "that exists)");
  line.text(
      "--with CMD", out.request.worker.with,
      "start CMD beside the program, for example the client of a server; when CMD ends, the program is sent SIGTERM");
  line.choice("--network WHICH", out.network, {"own", "host"},
              "choose the network: host (default) or own (a loopback device of its own and nothing else)");
  line.flag("--json", out.json, "print one JSON object on stderr");
  line.flag("-q,--quiet", out.quiet, "print only the program's own output");
  if (auto status = line.parse(split.own)) return status == kUsage ? kRecordFailed : *status;
  if (split.program.empty())
    return failed(
        {split.has_separator ? "no program after --" : "no program given", "heddle record [OPTIONS] -- PROG ARGS..."});
  auto program = find_program(split.program.front(), current_environment());
  if (!program) return failed(program.error());
  out.program = std::move(*program);
  WorkerOptions& worker = out.request.worker;
  std::error_code gone;
  const std::filesystem::path here = std::filesystem::current_path(gone);
  if (gone)
    return failed(
        {"cannot use the current folder: " + gone.message(), "it may have been removed: cd into another one"});
  worker.launch.program = out.program.path;
  worker.launch.argv = split.program;
  worker.launch.environment = current_environment();
  worker.launch.cwd = here;
  worker.launch.network = out.network == "own" ? Network::kOwn : Network::kHost;
  worker.launch.fork_at_mark = options->fork_at_mark;
  if (Status way = choose_way_in(out.program, worker.launch); !way) return failed(way.error());
  worker.output = OutputMode::kInherit;
  worker.inherited = {0, 1, 2};
  worker.inherit_input = true;
  worker.ready_timeout = options->ready_timeout;
  worker.seal = key_for_new_traces();
  const std::filesystem::path usual = out.program.path.filename().string() + ".heddle";
  out.request.trace = out.trace.empty() ? unused_trace(usual) : std::filesystem::path(out.trace);
  if (out.trace.empty() && out.request.trace != usual) out.kept = usual.string();
  if (Status can = can_be_written(out.request.trace); !can) return failed(can.error());
  return std::nullopt;
}

int in_shell(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

int status_of(const Recorded& recorded) {
  if (recorded.head.failure && recorded.head.failure->kind == HEDDLE_FAIL_DEADLOCK) return kFound;
  const int own = in_shell(recorded.outcome.wait_status);
  const int status = recorded.script_status ? in_shell(*recorded.script_status) : own;
  // As in a hunt: that was its client's doing, not the program's.
  return recorded.outcome.stopped_by_us && status == own ? 0 : status;
}

void note_script(const RecordArguments& arguments, Recorded& recorded) {
  if (!recorded.script_status) return;
  recorded.head.notes.push_back(
      fmt::format("{} was recorded: the first program that heddle can control of those that {} started; later ones "
                  "were not recorded",
                  recorded.program.string(), arguments.program.path.filename().string()));
}

void print_words(const RecordArguments& arguments, const Recorded& recorded) {
  const TraceHead& head = recorded.head;
  const std::string trace = shell_word(arguments.request.trace.string());
  if (head.failure) {
    std::string place;
    if (!head.failure->file.empty())
      place =
          fmt::format("   {}:{}", std::filesystem::path(head.failure->file).filename().string(), head.failure->line);
    if (!head.failure->thread.empty()) place += (place.empty() ? "   thread " : ", thread ") + head.failure->thread;
    say(stderr, "{}  {}{}\n", alarming("FAILED", 2), head.failure->message, place);
  }
  say(stderr, "{} {} of {} in {:.2f} s{}\n", strong("recorded", 2), counted("step", head.totals.steps),
             counted("thread", head.threads.size()), recorded.seconds,
             can_be_replayed(head) ? "   replay it:  heddle replay " + trace : "");
  for (const std::string& note : head.notes) say(stderr, "  note: {}\n", note);
}

void print_object(const RecordArguments& arguments, const Recorded& recorded) {
  nlohmann::ordered_json out;
  out["trace"] = arguments.request.trace.string();
  out["status"] = status_of(recorded);
  out["steps"] = recorded.head.totals.steps;
  out["threads"] = recorded.head.threads.size();
  out["seconds"] = recorded.seconds;
  out["complete"] = recorded.head.complete;
  out["failure"] = failure_json(recorded.head.failure);
  out["notes"] = recorded.head.notes;
  say(stderr, "{}\n", out.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

int record_main(int argc, char** argv) {
  RecordArguments arguments;
  std::atomic<std::uint64_t>& signals = collect_signals();
  arguments.request.worker.signals = &signals;
  arguments.request.signals_if_handled = collect_ignored_signals();
  adopt_orphans();
  if (auto status = parse(argc, argv, arguments)) return *status;
  auto recorded = record(arguments.request, describe_run(arguments.program, arguments.request.worker.launch, kVersion));
  if (const std::uint64_t early = signals.load(); !recorded && early != 0) {
    const int number = std::countr_zero(early) + 1;
    return failed(
               {fmt::format("ended by SIG{} before the program ran: nothing was recorded", sigabbrev_np(number)), ""}),
           128 + number;
  }
  if (!recorded) return failed(recorded.error());
  note_script(arguments, *recorded);
  if (!arguments.kept.empty())
    recorded->head.notes.push_back(
        fmt::format("{} already exists and is kept: this trace is {} (-o FILE replaces FILE)", arguments.kept,
                    arguments.request.trace.string()));
  if (arguments.json)
    print_object(arguments, *recorded);
  else if (!arguments.quiet)
    print_words(arguments, *recorded);
  return status_of(*recorded);
}

}  // namespace heddle
