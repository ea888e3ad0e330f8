// heddle simplify: options, progress, and the answer in words or as JSON.
#include <cstdio>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/engine/process_tree.h"
#include "src/trace/new_trace.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/simplify_answer.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/user.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
A switch is a change of the running thread; it is a preemption if the previous thread could have continued. The answer
names the remaining preemptions, and what ran instead. The new trace was executed before it was written, and failed in
the same way. Ctrl-C ends the search and writes the best trace found so far.

Inputs:
  real       the program reads its inputs again, as in a hunt
  recorded   the program gets the inputs of the trace, and changes nothing outside
  auto       real, in a fresh copy of its folder if it changes files there; recorded if it changes files elsewhere,
             depends on chance (random bytes, other processes, calls that block) or does not fail with real inputs

Examples:
  heddle simplify queue-1.heddle -o small.heddle
  heddle show small.heddle

Exit status:
  0     done
  3     not possible
  2     usage or input error
  130   interrupted before a simpler trace was found)";

struct Arguments {
  SimplifyTask task;
  std::string output, inputs = "auto";
  bool json = false, quiet = false;
};

std::filesystem::path default_output(const std::filesystem::path& trace) {
  std::filesystem::path out = trace;
  out.replace_filename(trace.stem().string() + "-simple.heddle");
  return out;
}

std::optional<int> parse(int argc, char** argv, Arguments& out) {
  SplitArguments split = split_arguments(argc, argv);
  auto options = host_options("simplify");
  if (!options) return options.error();
  SimplifyTask& task = out.task;
  task.session.engine = *options;
  task.session.user = current_user();
  CommandLine line("heddle simplify", "Reduces a failing trace to the switches that its failure needs.",
                   "heddle simplify [OPTIONS] TRACE [-o TRACE2] [-- PROG [ARGS...]]", kFooter);
  line.argument("TRACE", task.session.trace, "a trace with a failure, of heddle hunt or record");
  line.text("-o,--output FILE", out.output, "write the simplified trace to FILE (default: TRACE-simple.heddle)");
  line.flag("--exact", task.options.exact, "reorder only the recorded steps: no thread may take another path");
  line.number("--suffix N", task.options.suffix, 1, std::numeric_limits<std::uint64_t>::max(),
              "change only the last N switches; for long traces (default: all)");
  line.choice("--inputs FROM", out.inputs, {"auto", "real", "recorded"},
              "choose where the program gets its inputs from: auto (default), real or recorded; see below");
  line.flag("--one-by-one", task.options.one_by_one,
            "execute every operation of Tinertia's paper (slower; for comparisons)");
  line.flag("--trust", task.session.trust, "execute a trace that you did not make on this machine (docs/security.md)");
  line.flag("--json", out.json, "print one JSON object on stdout");
  line.flag("-q,--quiet", out.quiet, "print only the answer and the replay command");
  if (auto status = line.parse(split.own)) return status;
  task.session.program = split.program;
  task.inputs = out.inputs == "real"       ? InputChoice::kReal
                : out.inputs == "recorded" ? InputChoice::kRecorded
                                           : InputChoice::kAuto;
  task.output = out.output.empty() ? default_output(task.session.trace) : std::filesystem::path(out.output);
  return std::nullopt;
}

void print_words(const Arguments& arguments, const SimplifyAnswer& answer) {
  say("{}{}\n", strong(first_line(answer), 1), interrupted_text(answer));
  const std::string trace = shell_word(arguments.task.output.string());
  if (!arguments.quiet)
    for (const std::string& line : preemption_lines(answer, trace)) say("  {}\n", line);
  say("  trace    {}      replay it:  heddle replay {}\n", trace, trace);
  if (arguments.quiet) return;
  say("           {}      look at it:  heddle show {}\n", std::string(trace.size(), ' '), trace);
  for (const std::string& note : answer.notes) say("  note: {}\n", note);
}

// What an interrupted search says is wrong need not be: its program may have been ended in the middle of its start.
int fail(const Trouble& trouble, bool interrupted) {
  if (interrupted) {
    report_error("simplify", {"interrupted before a simpler trace was found: nothing was written", ""});
    return kInterruptedExit;
  }
  const int status = report_error("simplify", trouble.error);
  return trouble.is_input ? status : static_cast<int>(kInconclusive);
}

}  // namespace

int simplify_main(int argc, char** argv) {
  Arguments arguments;
  const std::atomic<bool>& stop = catch_interrupts();
  arguments.task.session.stop = &stop;
  adopt_orphans();
  if (auto status = parse(argc, argv, arguments)) return *status;
  if (Status possible = can_be_written(arguments.task.output); !possible)
    return report_error("simplify", possible.error());
  const bool live = !arguments.json && !arguments.quiet && is_terminal(2);
  if (live) arguments.task.on_progress = show_simplify_progress;
  arguments.task.give_up = &outlast_interrupts();
  auto answer = simplify_trace(arguments.task);
  if (live) say(stderr, "\r\033[K");
  if (!answer) return fail(answer.error(), stop);
  const int lost = written([&] {
    if (arguments.json)
      print_json(simplify_json(*answer, arguments.task.output.string()));
    else
      print_words(arguments, *answer);
  });
  if (lost) {
    say(stderr, "heddle simplify: cannot write the answer: {}\n", std::strerror(lost));
    return kInconclusive;
  }
  return kClean;
}

}  // namespace heddle
