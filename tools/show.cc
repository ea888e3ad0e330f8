// heddle show: what a trace holds, for people (text, --events, a page, a timeline) and for programs (JSON).
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "src/engine/open_trace.h"
#include "src/engine/trust.h"
#include "src/lift/lift_trace.h"
#include "src/log/log.h"
#include "src/show/view.h"
#include "src/show/wrappers.h"
#include "src/trace/container.h"
#include "src/trace/output_file.h"
#include "src/trace/schedule.h"
#include "tools/options.h"
#include "tools/status.h"
#include "tools/terminal.h"
#include "tools/user.h"
#include "tools/verbs.h"

namespace heddle {
namespace {

constexpr const char* kFooter = R"(
The first line is the answer. Below it are the threads and what they did: one column per thread, time downwards, with
source lines, the values that were read and written, and the preemptions (switches away from a thread that could have
continued). "... 1,204 events ..." stands for events that are not shown: accesses to memory that only one thread used,
and the middle of long traces.

Examples:
  heddle show queue-1.heddle
  heddle show --thread 0.2 --full queue-1.heddle
  heddle show --events --from 100 --to 200 queue-1.heddle
  heddle show --json queue-1.heddle | jq .failure
  heddle show --format html -o queue.html queue-1.heddle
  heddle show --format perfetto -o queue.pftrace queue-1.heddle

Exit status:
  0     shown; a damaged trace as far as it is intact
  3     not possible
  2     usage or input error
  70    a bug in heddle)";

struct Arguments {
  std::string trace, format = "text", thread, output, wrappers;
  bool json = false, events = false, schedule = false, full = false, quiet = false;
  unsigned around = 6, width = 0;
  std::optional<std::uint64_t> from, to, step;
  std::vector<std::string> sources;
  bool own = false;  // who looks at the trace made it
  bool as_recorded = false;
};

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text(value);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

unsigned terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const long n = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
  return n >= 40 && n <= 1000 ? static_cast<unsigned>(n) : 120;
}

/// Writes to stdout; false when nobody reads it any more. `failed` is set when writing failed for another reason.
Sink standard_output(int& failed) {
  return [&failed](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return true;
    if (errno != EPIPE) failed = errno;
    return false;
  };
}

ViewOptions view_options(const Arguments& a) {
  ViewOptions o;
  o.width = a.width != 0 ? a.width : terminal_width();
  o.utf8 = locale_is_utf8();
  o.colour = is_terminal(STDOUT_FILENO) && std::getenv("NO_COLOR") == nullptr;
  o.full = a.full;
  o.around = a.around;
  o.sources = {a.own, {a.sources.begin(), a.sources.end()}};
  o.first_event = a.from.value_or(o.first_event);
  o.last_event = a.to.value_or(o.last_event);
  o.step = a.step;
  if (!a.thread.empty()) o.thread = a.thread;
  if (!a.quiet) o.trace = a.trace;
  std::error_code ec;
  if (const auto time = std::filesystem::last_write_time(a.trace, ec); !ec) o.written = time;
  return o;
}

Status show(const TraceReader& trace, const Arguments& a, const Sink& sink) {
  if (a.format == "json") {
    sink(show_json(trace) + "\n");
    return {};
  }
  if (a.schedule) {
    sink(Schedule(trace.head().schedule, trace.head().threads).print());
    return {};
  }
  if (a.format == "html") return show_html(trace, view_options(a), sink);
  if (a.format == "perfetto") return show_perfetto(trace, view_options(a), sink);
  return a.events ? show_events(trace, view_options(a), sink) : show_text(trace, view_options(a), sink);
}

void declare(CommandLine& line, Arguments& a) {
  constexpr std::uint64_t kAnyEvent = std::numeric_limits<std::uint64_t>::max();
  line.argument("TRACE", a.trace, "the trace to show");
  line.text(
      "--format FORMAT", a.format,
      "choose the format: text (default), json, html (one page that needs no network) or perfetto (a timeline for "
      "ui.perfetto.dev)");
  line.text("-o,--output FILE", a.output, "write to FILE instead of stdout");
  line.flag("--json", a.json, "print one JSON object, as --format json does");
  line.flag("--events", a.events, "list the events, one per line (* marks steps of the schedule)");
  line.number("--from N", a.from, 0, kAnyEvent, "begin with event N; implies --events");
  line.number("--to N", a.to, 0, kAnyEvent, "end with event N; implies --events");
  line.number("--step N", a.step, 0, kAnyEvent,
              "list the events around step N of the schedule, or of --thread if given; implies --events");
  line.flag("--schedule", a.schedule, "print the schedule as text: each line is a thread and its number of steps");
  line.flag("--full", a.full, "show all events");
  line.text("--thread NAME", a.thread, "show only this thread, for example 0.2");
  line.number("--around N", a.around, 0, 1000, "show N rows around each preemption of a long trace (default 6)");
  line.folders("--source DIR", a.sources,
               "quote source files below DIR; for a trace that you did not make on this machine, no others are quoted");
  line.number("--width N", a.width, 40, 1000, "use N columns (default: the terminal's width)");
  line.text("--wrappers REGEX", a.wrappers,
            "treat these functions as wrappers of a synchronisation primitive, and name their callers instead");
  line.flag("--as-recorded", a.as_recorded,
            "show a recording without lifting it; by default it is executed again for values and lines (heddle lift)");
  line.flag("-q,--quiet", a.quiet, "omit the line that says how to replay");
}

/// Error: a format that does not exist, or not yet.
Status choose_format(Arguments& a) {
  if (a.json) a.format = "json";
  for (const char* known : {"text", "json", "html", "perfetto"})
    if (a.format == known) return {};
  return error(fmt::format("invalid format '{}': expected one of text, json, html, perfetto", a.format));
}

/// --from, --to and --step choose events, so they mean --events.
Status choose_window(Arguments& a) {
  if (a.step && (a.from || a.to))
    return error("--step cannot be combined with --from and --to", "heddle show --step N TRACE");
  if (a.step && (a.format != "text" || a.schedule))
    return error("--step applies only to --events", "heddle show --events --step N TRACE");
  if (a.step) a.events = true;
  if (!a.from && !a.to) return {};
  if (a.format != "text" || a.schedule)
    return error("--from and --to apply only to --events", "heddle show --events --from N --to N TRACE");
  if (a.from && a.to && *a.from > *a.to)
    return error(fmt::format("invalid range: --from {} is greater than --to {}", *a.from, *a.to));
  a.events = true;
  return {};
}

Status skip_wrappers(TraceReader& trace, const std::string& pattern) {
  Status marked;
  if (!pattern.empty()) trace.change_head([&](TraceHead& head) { marked = mark_wrappers(head, pattern); });
  if (!marked) return error("--wrappers: " + marked.error().message);
  return {};
}

constexpr std::uint64_t kMostStepsOfItself = 200'000,
                        kMostEventsOfItself = 3'000'000;  // more is lifted only if somebody asks for it

/// As a library call that ctrl-C ends; afterwards ctrl-C ends the verb again.
Answered<LiftedForm> lift_here(LiftTask task, const TraceReader& trace) {
  const std::atomic<bool>& stop = catch_interrupts();
  task.session.stop = &stop;
  auto form = lifted_form(std::move(task), trace);
  if (stop) std::exit(kInterruptedExit);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  return form;
}

/// A recording of the user's own that can be executed is shown in its lifted form, which has values and lines.
std::optional<LiftedForm> form_with_values(const TraceReader& trace, const Arguments& a) {
  const TraceHead& head = trace.head();
  if (a.as_recorded || a.schedule || !a.own || head.meta.source != TraceSource::kRecorded ||
      !why_not_lifted(trace).message.empty())
    return std::nullopt;
  LiftTask task;
  task.session.trace = a.trace;
  task.session.user = current_user();
  task.limits.most_events = kMostEventsOfItself;
  if (auto known = known_lifted(task, trace)) return LiftedForm{std::move(*known), false, {}};
  std::string why = "the recording is long";
  if (head.totals.steps <= kMostStepsOfItself) {
    auto form = lift_here(std::move(task), trace);
    if (form && form->folder.path().empty() && !a.quiet)
      say(stderr, "heddle show: executed the recording again for values and lines: {}\n", form->trace.string());
    if (form) return std::move(*form);
    why = form.error().error.message;
  }
  if (!a.quiet) say(stderr, "heddle show: values are not shown: {}; try heddle lift {}\n", why, shell_word(a.trace));
  return std::nullopt;
}

/// The file appears whole or not at all.
int write_file(const TraceReader& trace, const Arguments& a) {
  auto file = OutputFile::create(a.output);
  if (!file) return report_error("show", file.error());
  Status written;
  const Status shown = show(trace, a, [&](std::string_view text) { return (written = file->write(text)).has_value(); });
  if (!shown) return report_error("show", shown.error());
  if (written) written = file->commit();
  if (written) return kClean;
  say(stderr, "heddle show: {}\n", written.error().message);
  return kInconclusive;
}

/// A log that a program kept of itself is no trace: it says what is in it.
int show_log(const Arguments& a) {
  if (a.format != "text" && a.format != "json")
    return report_error("show", {fmt::format("{} is a log: --format {} applies only to traces", a.trace, a.format),
                                 fmt::format("heddle show {}", shell_word(a.trace))});
  const Result<Log> log = Log::open(a.trace);
  if (!log) return report_error("show", log.error());
  const std::string text = a.format == "json" ? log_json(*log) + "\n" : log_text(*log, locale_is_utf8());
  int failed = 0;
  standard_output(failed)(text);
  if (std::fflush(stdout) != 0 && errno != EPIPE && failed == 0) failed = errno;
  if (failed == 0) return kClean;
  say(stderr, "heddle show: cannot write: {}\n", std::strerror(failed));
  return kInconclusive;
}

}  // namespace

int show_main(int argc, char** argv) {
  CommandLine line("heddle show",
                   "Shows what happened in a trace: threads, source lines, values, switches, the failure.",
                   "heddle show [OPTIONS] TRACE", kFooter);
  Arguments a;
  declare(line, a);
  if (const auto done = line.parse({argv, argv + argc})) return *done;
  std::signal(SIGPIPE, SIG_IGN);  // `heddle show t | head` is no failure
  if (Status s = choose_format(a); !s) return report_error("show", s.error());
  if (Status s = choose_window(a); !s) return report_error("show", s.error());
  if (Log::is_log(a.trace)) return show_log(a);
  auto trace = open_trace(a.trace);
  if (!trace) return report_error("show", trace.error());
  a.own = is_own_trace(*trace, a.trace, current_user().key_file);
  const std::optional<LiftedForm> form = form_with_values(*trace, a);
  if (form)
    if (auto lifted = open_trace(form->trace)) trace = std::move(lifted);
  const bool quotes = a.format != "json" && !a.events && !a.schedule;
  if (!a.own && a.sources.empty() && quotes && !a.quiet)
    say(stderr,
        "heddle show: source lines are not shown: you did not make this trace on this machine; --source DIR quotes "
        "files below DIR\n");
  if (Status s = skip_wrappers(*trace, a.wrappers); !s) return report_error("show", s.error());
  const bool said_in_text = a.format == "text" && !a.events && !a.schedule;
  if (!trace->damage().empty() && !said_in_text) say(stderr, "heddle show: {}: {}\n", a.trace, trace->damage());
  if (std::error_code none; !a.output.empty() && std::filesystem::equivalent(a.output, a.trace, none))
    return report_error("show", {fmt::format("{} is the trace that is shown", a.output), "choose another file with -o"});
  if (!a.output.empty()) return write_file(*trace, a);
  if ((a.format == "html" || a.format == "perfetto") && is_terminal(STDOUT_FILENO))
    return report_error("show", {fmt::format("--format {} cannot be printed to a terminal", a.format),
                                 fmt::format("heddle show --format {} -o FILE {}", a.format, shell_word(a.trace))});
  int failed = 0;
  const Status shown = show(*trace, a, standard_output(failed));
  if (!shown) return report_error("show", shown.error());
  if (std::fflush(stdout) != 0 && errno != EPIPE && failed == 0) failed = errno;
  if (failed == 0) return kClean;
  say(stderr, "heddle show: cannot write: {}\n", std::strerror(failed));
  return kInconclusive;  // of show: could not
}

}  // namespace heddle
