// heddle lift: options, and the answer in words or as JSON.
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/engine/process_tree.h"
#include "src/lift/lift_trace.h"
#include "src/trace/new_trace.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/user.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
A recording contains the order in which threads synchronised and accessed common memory, but no values and no lines of
plain accesses. heddle lift executes it again, finds the accesses whose order matters, and writes a trace whose
schedule has these accesses as points. The new trace was executed before it was written, and ended like the recording.
heddle simplify and heddle show lift a recording automatically, and keep the lifted trace beside it.

Examples:
  heddle record -o votes.heddle -- ./votes
  heddle lift votes.heddle -o lifted.heddle
  heddle show lifted.heddle

Exit status:
  0     done
  3     not possible
  2     usage or input error
  130   interrupted)";

struct Arguments {
  LiftTask task;
  std::string output;
  bool json = false, quiet = false;
};

std::optional<int> parse(int argc, char** argv, Arguments& out) {
  SplitArguments split = split_arguments(argc, argv);
  auto options = host_options("lift");
  if (!options) return options.error();
  LiftTask& task = out.task;
  task.session.engine = *options;
  task.session.user = current_user();
  CommandLine line("heddle lift",
                   "Converts a recording to an ordinary trace, with scheduling points, values and source lines.",
                   "heddle lift [OPTIONS] TRACE [-o TRACE2] [-- PROG [ARGS...]]", kFooter);
  line.argument("TRACE", task.session.trace, "a recording of heddle record");
  line.text("-o,--output FILE", out.output, "write the lifted trace to FILE (default: TRACE.lifted.heddle)");
  line.flag("--trust", task.session.trust, "execute a trace that you did not make on this machine (docs/security.md)");
  line.flag("--json", out.json, "print one JSON object on stdout");
  line.flag("-q,--quiet", out.quiet, "print only the first line");
  if (auto status = line.parse(split.own)) return status;
  task.session.program = split.program;
  task.output = out.output.empty() ? lifted_beside(task.session.trace) : std::filesystem::path(out.output);
  return std::nullopt;
}

void print_words(const Arguments& arguments, const LiftAnswer& answer) {
  const Totals& totals = answer.lifted.head.totals;
  const std::string trace = shell_word(arguments.task.output.string());
  say("{} {}, {}, {}      {}, {:.2f} s\n", strong("lifted:", 1), counted("step", totals.steps),
      totals.switches == 1 ? "1 switch" : fmt::format("{} switches", totals.switches),
      counted("preemption", totals.preemptions),
      counted("execution", static_cast<std::uint64_t>(answer.lifted.executions)), answer.seconds);
  if (arguments.quiet) return;
  say("  trace    {}      look at it:  heddle show {}\n", trace, trace);
  if (answer.lifted.head.failure)
    say("           {}      reduce it:   heddle simplify {}\n", std::string(trace.size(), ' '), trace);
}

nlohmann::ordered_json lift_json(const Arguments& arguments, const LiftAnswer& answer) {
  const TraceHead& head = answer.lifted.head;
  nlohmann::ordered_json out;
  out["events"] = head.totals.events;
  out["steps"] = head.totals.steps;
  out["switches"] = head.totals.switches;
  out["preemptions"] = head.totals.preemptions;
  out["reproduced"] = true;  // else there is no trace
  out["racy_sites"] = answer.lifted.racy_sites;
  out["executions"] = answer.lifted.executions;
  out["seconds"] = answer.seconds;
  out["trace"] = arguments.task.output.string();
  out["failure"] = failure_json(head.failure);
  return out;
}

}  // namespace

int lift_main(int argc, char** argv) {
  Arguments arguments;
  const std::atomic<bool>& stop = catch_interrupts();
  arguments.task.session.stop = &stop;
  adopt_orphans();
  if (auto status = parse(argc, argv, arguments)) return *status;
  if (Status possible = can_be_written(arguments.task.output); !possible) return report_error("lift", possible.error());
  auto answer = lift_trace(arguments.task);
  if (stop) {
    report_error("lift", {"interrupted: nothing was written", ""});
    return kInterruptedExit;
  }
  if (!answer) {
    const int status = report_error("lift", answer.error().error);
    return answer.error().is_input ? status : static_cast<int>(kInconclusive);
  }
  const int lost =
      written([&] { arguments.json ? print_json(lift_json(arguments, *answer)) : print_words(arguments, *answer); });
  if (!lost) return kClean;
  say(stderr, "heddle lift: cannot write the answer: {}\n", std::strerror(lost));
  return kInconclusive;
}

}  // namespace heddle
