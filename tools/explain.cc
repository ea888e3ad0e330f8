// heddle explain: options, and the answer in words, as JSON or as a page.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/engine/process_tree.h"
#include "src/explain/explain.h"
#include "src/explain/page.h"
#include "src/trace/new_trace.h"
#include "src/trace/output_file.h"
#include "tools/json.h"
#include "tools/options.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/user.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
explain reduces the trace (as heddle simplify does), then reverses the order of one pair of events after another,
nearest to the failure first, and executes the program in each of these orders. It reports the first execution that does
not fail, and what differs between the two: the order of which events, and which reads got their values from other
writes. Both executions were made; the alternate one is written as a trace.

Examples:
  heddle explain queue-1.heddle
  heddle explain --html queue.html queue-1.heddle

Exit status:
  0     done
  3     not possible, or every order that was tried fails
  2     usage or input error
  130   interrupted)";

struct Arguments {
  ExplainTask task;
  std::string alternate, html, method = "auto";
  bool json = false, quiet = false;
};

std::filesystem::path alternate_beside(const std::filesystem::path& trace) {
  std::filesystem::path out = trace;
  out.replace_filename(trace.stem().string() + "-alternate.heddle");
  return out;
}

std::optional<int> parse(int argc, char** argv, Arguments& out) {
  SplitArguments split = split_arguments(argc, argv);
  auto options = host_options("explain");
  if (!options) return options.error();
  ExplainTask& task = out.task;
  task.session.verb = "explain";
  task.session.engine = *options;
  task.session.user = current_user();
  CommandLine line("heddle explain", "Explains why a trace fails, beside an order of the same events that does not.",
                   "heddle explain [OPTIONS] TRACE [-- PROG [ARGS...]]", kFooter);
  line.argument("TRACE", task.session.trace, "a trace with a failure, of heddle hunt, record or simplify");
  line.choice("--method M", out.method, {"auto", "execute"},
              "auto (default): the methods that this version has; execute: reverse pairs of events by execution");
  line.text("--html FILE", out.html, "write the explanation as a page for a browser");
  line.text("--alternate FILE", out.alternate,
            "write the alternate execution to FILE (default: TRACE-alternate.heddle)");
  line.flag("--trust", task.session.trust, "execute a trace that you did not make on this machine (docs/security.md)");
  line.flag("--json", out.json, "print one JSON object on stdout");
  line.flag("-q,--quiet", out.quiet, "print only the verdict");
  if (auto status = line.parse(split.own)) return status;
  task.session.program = split.program;
  task.alternate =
      out.alternate.empty() ? alternate_beside(task.session.trace) : std::filesystem::path(out.alternate);
  return std::nullopt;
}

std::string place(const ShownEvent& event) {
  return event.line ? fmt::format("{}:{}", base_name(event.file), event.line) : event.function;
}

void print_events(const ExplainAnswer& answer, bool failing) {
  const auto at = [&](const ShownEvent& event) { return failing ? event.failing : event.alternate; };
  std::vector<const ShownEvent*> events;
  for (const ShownEvent& event : answer.projection.events)
    if (at(event) != kNowhere) events.push_back(&event);
  std::ranges::stable_sort(events, {}, [&](const ShownEvent* event) { return at(*event); });
  for (const ShownEvent* event : events) {
    const std::string what = event->object.empty() ? event->kind : fmt::format("{} {}", event->kind, event->object);
    say("    {:<6} {:<32} {:<20} {}\n", event->thread, fit(what, 32, true), fit(place(*event), 20, true), event->code);
  }
}

/// "5 pairs, 8 other orders executed: 6 did not fail, 2 failed in the same way"
std::string tried_text(const Found& found) {
  std::string out = fmt::format("{}, {} executed: {} did not fail, {} failed in the same way",
                                counted("pair", found.reversals.size()), counted("other order", found.executions),
                                found.passed, found.failed);
  if (found.failed_otherwise) out += fmt::format(", {} failed in another way", found.failed_otherwise);
  if (found.not_reversed) out += fmt::format(", {} could not be made", found.not_reversed);
  if (found.unknown) out += fmt::format(", {} were cut off or left their path", found.unknown);
  if (found.left_out) out += fmt::format("; {} not tried, for lack of time", counted("pair", found.left_out));
  return out;
}

void print_words(const Arguments& arguments, const ExplainAnswer& answer) {
  say("{}\n", strong(neutral(answer.projection.text), 1));
  if (arguments.quiet) return;
  say("  this order fails: {}\n", answer.failing.failure->message);
  print_events(answer, true);
  if (answer.alternate) {
    say("  this order does not fail:\n");
    print_events(answer, false);
  }
  const Found& found = answer.found;
  say("  {} executions, {:.2f} s\n  {}\n", answer.executions, answer.seconds, tried_text(found));
  if (answer.alternate) {
    const std::string trace = shell_word(arguments.task.alternate.string());
    say("  alternate {}      look at it:  heddle show {}\n", trace, trace);
  }
  if (!arguments.html.empty()) say("  page      {}\n", arguments.html);
  for (const std::string& note : answer.notes) say("  note: {}\n", note);
}

nlohmann::ordered_json event_json(const ShownEvent& event) {
  nlohmann::ordered_json out;
  out["thread"] = event.thread;
  out["kind"] = event.kind;
  out["object"] = event.object;
  out["function"] = event.function;
  out["file"] = event.file;
  out["line"] = event.line;
  return out;
}

nlohmann::ordered_json explain_json(const Arguments& arguments, const ExplainAnswer& answer) {
  const Projection& p = answer.projection;
  nlohmann::ordered_json out, projection, verdict;
  out["failing"] = {{"events", answer.failing_events}, {"dataflows", answer.failing_flows}};
  projection["events"] = nlohmann::ordered_json::array();
  for (const ShownEvent& event : p.events) projection["events"].push_back(event_json(event));
  projection["dataflows"] = nlohmann::ordered_json::array();
  for (const ShownFlow& flow : p.flows) {
    nlohmann::ordered_json one;
    one["in"] = flow.failing ? "failing" : "alternate";
    one["from"] = flow.from ? event_json(p.events[*flow.from]) : nlohmann::ordered_json(nullptr);
    one["to"] = event_json(p.events[flow.to]);
    projection["dataflows"].push_back(std::move(one));
  }
  projection["pairs_tried"] = answer.found.reversals.size();
  projection["pairs_left_out"] = answer.found.left_out;
  projection["alternate"] = {{"confirmed", answer.alternate.has_value()},
                             {"trace", answer.alternate ? arguments.task.alternate.string() : ""}};
  out["projection"] = std::move(projection);
  verdict["pattern"] = token(answer.verdict.pattern);
  verdict["text"] = p.text;
  verdict["objects"] = p.objects;
  out["verdict"] = std::move(verdict);
  out["method"] = "execute";
  out["executions"] = answer.executions;
  out["seconds"] = answer.seconds;
  out["failure"] = failure_json(answer.original.failure);
  out["notes"] = answer.notes;
  return out;
}

Status write_page(const std::string& file, const ExplainAnswer& answer) {
  Result<OutputFile> out = OutputFile::create(file, FileMode::kPrivate);
  if (!out) return std::unexpected(out.error());
  Status status;
  explain_page(answer, [&](std::string_view piece) {
    status = out->write(piece);
    return status.has_value();
  });
  return status ? out->commit() : status;
}

int fail(const Trouble& trouble, bool interrupted) {
  if (interrupted) {
    report_error("explain", {"interrupted: nothing was written", ""});
    return kInterruptedExit;
  }
  const int status = report_error("explain", trouble.error);
  return trouble.is_input ? status : static_cast<int>(kInconclusive);
}

}  // namespace

int explain_main(int argc, char** argv) {
  Arguments arguments;
  const std::atomic<bool>& stop = catch_interrupts();
  arguments.task.session.stop = arguments.task.limits.stop = &stop;
  adopt_orphans();
  if (auto status = parse(argc, argv, arguments)) return *status;
  for (const std::filesystem::path& file : {arguments.task.alternate, std::filesystem::path(arguments.html)}) {
    std::error_code none;
    if (!file.empty() && std::filesystem::equivalent(file, arguments.task.session.trace, none))
      return report_error("explain", {fmt::format("{} is the trace to be explained", file.string()),
                                      "choose another file"});
  }
  for (const std::filesystem::path& file : {arguments.task.alternate, std::filesystem::path(arguments.html)})
    if (Status possible = file.empty() ? Status{} : can_be_written(file); !possible)
      return report_error("explain", possible.error());
  auto answer = explain_trace(arguments.task);
  if (!answer) return fail(answer.error(), stop);
  if (!arguments.html.empty())
    if (Status page = write_page(arguments.html, *answer); !page) return report_error("explain", page.error());
  const int lost = written([&] {
    arguments.json ? print_json(explain_json(arguments, *answer)) : print_words(arguments, *answer);
  });
  if (lost) {
    say(stderr, "heddle explain: cannot write the answer: {}\n", std::strerror(lost));
    return kInconclusive;
  }
  if (answer->alternate) return kClean;
  const Found& found = answer->found;
  const bool all_fail = found.failed + found.failed_otherwise == found.executions && found.left_out == 0;
  tell_error("explain", all_fail ? Error{fmt::format("every order that was tried fails ({} executions)", found.executions),
                                         "the failure may not depend on the schedule: run the program without heddle"}
                                 : Error{"no order was found that does not fail: " + tried_text(found), ""});
  return kInconclusive;
}

}  // namespace heddle
