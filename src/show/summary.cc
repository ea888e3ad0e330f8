#include "src/show/summary.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "src/show/kind_text.h"
#include "src/show/race_groups.h"
#include "src/show/timeouts.h"
#include "src/show/words.h"
#include "src/trace/meta_keys.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxThreads = 24, kMaxRaces = 8, kMaxNotes = 12, kMaxOutput = 10, kMaxFrames = 12;

/// "lost_update.cc:9 in main, thread 0"
std::string position(std::string_view file, std::uint32_t line, std::string_view function, std::string_view thread) {
  std::string text;
  if (!file.empty()) text = line != 0 ? fmt::format("{}:{}", base_name(file), line) : std::string(base_name(file));
  if (!function.empty()) text += fmt::format("{}in {}", text.empty() ? "" : " ", function);
  if (!thread.empty()) text += fmt::format("{}thread {}", text.empty() ? "" : ", ", thread);
  return text;
}

/// A heading and its lines; nothing when there are none.
class SectionText {
 public:
  SectionText(std::string title, const ViewOptions& options) : title_(std::move(title)), options_(options) {}
  void line(std::string_view text, std::size_t indent = 2) {
    lines_ += std::string(indent, ' ') + clean(text, options_.utf8) + "\n";
  }
  /// All frames of the user's, and how many others were left out in between.
  void stack(const Stack& stack, std::size_t indent) {
    std::size_t shown = 0, hidden = 0;
    for (const Frame& f : stack) {
      if ((f.system && (stack.size() > 1 || f.function.starts_with("heddle::rt::"))) || shown >= kMaxFrames) {
        ++hidden;
        continue;
      }
      ++shown;
      std::string place = f.file.empty() ? f.module
                          : f.line != 0  ? fmt::format("{}:{}", base_name(f.file), f.line)
                                         : std::string(base_name(f.file));
      line(fmt::format("{}  {}", f.function.empty() ? "?" : f.function, place), indent);
    }
    const auto named = std::ranges::find_if(stack, [](const Frame& f) {
      return !f.function.empty() && !f.function.starts_with("heddle::rt::") && !f.function.starts_with("heddle_raw_");
    });
    if (shown == 0 && named != stack.end())
      line(fmt::format("{}  {}", named->function, named->module), indent);
    else if (hidden > 0)
      line(fmt::format("({} of libraries not shown)", counted("frame", hidden)), indent);
  }
  std::string take() const {
    return lines_.empty() ? "" : "\n" + paint(options_.colour, Paint::Bold, title_) + "\n" + lines_;
  }

 private:
  std::string title_, lines_;
  const ViewOptions& options_;
};

std::string frame_text(const Frame& f) {
  return f.file.empty()
             ? f.function
             : fmt::format("{}:{}{}", base_name(f.file), f.line, f.function.empty() ? "" : " in " + f.function);
}

std::string threads_text(const FailureRecord& f, const ViewOptions& options) {
  SectionText section("at the failure", options);
  for (std::string_view rest = f.detail; !rest.empty();) {
    section.line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), rest.substr(0, rest.find('\n')).size() + 1));
  }
  std::size_t n = 0;
  for (const ThreadAtFailure& t : f.threads) {
    const bool failing = t.thread == f.thread;
    if (!failing && t.state.activity == Activity::kFinished) continue;
    if (++n > kMaxThreads) continue;
    section.line(fmt::format("{}  {}", t.thread, to_text(t.state)));
    section.stack(t.stack, 6);
  }
  if (n > kMaxThreads) section.line(fmt::format("and {} more", counted("thread", n - kMaxThreads)));
  return section.take();
}

std::string deadlock_text(const FailureRecord& f, const ViewOptions& options) {
  SectionText section(f.deadlock.empty() ? "about the failure" : "who waits for what", options);
  for (std::size_t i = 0; i < f.deadlock.size() && i < kMaxThreads; ++i) {
    const DeadlockEdge& e = f.deadlock[i];
    std::string text = fmt::format("{} waits: {}", e.thread, to_text(e));
    if (const std::string at = frame_text(e.wait_site); !at.empty()) text += " at " + at;
    section.line(text);
    if (is_held(e)) {
      const std::string at = frame_text(e.hold_site);
      section.line(fmt::format("held by {}{}", e.holder, at.empty() ? "" : ", taken at " + at), 6);
    }
  }
  for (std::size_t i = 0; i < f.notes.size() && i < kMaxNotes; ++i) section.line(f.notes[i]);
  return section.take();
}

std::vector<RaceGroup> groups_of(const TraceHead& head) {
  return grouped_races(head.races, head.failure ? &*head.failure : nullptr);
}

void add_race(SectionText& section, const RaceRecord& r) {
  for (const RaceAccess* a : {&r.first, &r.second}) {
    const Frame at = own_frame(*a);
    section.line(fmt::format("{}  {}", access_word(a->kind), position(at.file, at.line, at.function, a->thread)), 6);
    section.stack(a->stack, 10);
  }
}

std::string races_text(const TraceHead& head, const ViewOptions& options) {
  const std::vector<RaceGroup> groups = groups_of(head);
  SectionText section(counted_races(groups), options);
  for (std::size_t i = 0; i < groups.size() && i < kMaxRaces; ++i) {
    const RaceGroup& g = groups[i];
    section.line(fmt::format("on {}{}{}", g.variable, g.size != 0 ? fmt::format(" ({})", counted("byte", g.size)) : "",
                             g.at_failure ? ", which the failing statement uses" : ""));
    for (std::size_t k = 0; k < g.races.size() && k < kMaxRaces; ++k) {
      if (k > 0) section.line("and", 6);
      add_race(section, *g.races[k]);
    }
    if (g.races.size() > kMaxRaces)
      section.line(fmt::format("and {} more pairs (--json has all)", g.races.size() - kMaxRaces), 6);
  }
  if (groups.size() > kMaxRaces) section.line(fmt::format("and {} more (--json has all)", groups.size() - kMaxRaces));
  return section.take();
}

/// "  data race on shared: write a.c:8 in put, thread 0.1, and read a.c:5 in take, thread 0.2": beside the failure that
/// it explains.
std::string race_at_failure(const TraceHead& head, const ViewOptions& options) {
  std::string out;
  for (const RaceGroup& g : groups_of(head)) {
    if (!g.at_failure) continue;
    const auto side = [](const RaceAccess& a) {
      const Frame at = own_frame(a);
      return fmt::format("{} {}", access_word(a.kind), position(at.file, at.line, at.function, a.thread));
    };
    const std::string text = fmt::format("data race on {}: {}, and {}", g.variable, side(g.races.front()->first),
                                         side(g.races.front()->second));
    out += "  " + clean(text, options.utf8) + "\n";
  }
  return out;
}

std::string notes_text(const TraceHead& head, const ViewOptions& options) {
  SectionText section("notes", options);
  for (std::size_t i = 0; i < head.notes.size() && i < kMaxNotes; ++i) section.line(head.notes[i]);
  if (const std::string why = value_of(head.meta, meta_key::kWholeEnvironment); !why.empty())
    section.line("the trace contains the whole environment: " + why);
  if (head.notes.size() > kMaxNotes)
    section.line(fmt::format("and {} more (--json has all)", head.notes.size() - kMaxNotes));
  return section.take();
}

std::string output_text(const TraceHead& head, const ViewOptions& options) {
  std::string_view output = head.output;
  if (is_binary(output)) {
    SectionText section("output of the program", options);
    section.line(binary_text(output) + (head.output_truncated ? ", and more that was not kept" : ""));
    return section.take();
  }
  while (output.ends_with('\n')) output.remove_suffix(1);
  if (output.empty()) return {};
  std::size_t begin = output.size(), lines = 0;
  while (begin > 0 && lines < kMaxOutput) {
    const std::size_t newline = begin > 0 ? output.rfind('\n', begin - 1) : std::string_view::npos;
    ++lines;
    begin = newline == std::string_view::npos ? 0 : newline;
  }
  const bool all = begin == 0 && !head.output_truncated;
  SectionText section(
      all ? "output of the program" : fmt::format("output of the program (last {})", counted("line", lines)), options);
  std::string_view rest = output.substr(begin == 0 ? 0 : begin + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    section.line(fit(clean(rest.substr(0, end).substr(0, 4096), options.utf8), 400, options.utf8));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return section.take();
}

}  // namespace

Outcome outcome(const TraceReader& trace) {
  const TraceHead& head = trace.head();
  if (head.failure) return Outcome::kFailed;
  if (!head.complete) return Outcome::kIncomplete;
  if (WIFSIGNALED(head.wait_status)) return Outcome::kKilled;
  const bool ok = WIFEXITED(head.wait_status) && WEXITSTATUS(head.wait_status) == 0;
  return ok ? Outcome::kOk : Outcome::kExited;
}

std::string_view token(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFailed:
      return "failed";
    case Outcome::kOk:
      return "ok";
    case Outcome::kExited:
      return "exited";
    case Outcome::kKilled:
      return "killed";
    case Outcome::kIncomplete:
      break;
  }
  return "incomplete";
}

Totals totals(const TraceReader& trace, const SwitchCounter& counted) {
  Totals t = trace.head().totals;
  if (t == Totals{} || (t.switches == 0 && t.steps == 0)) {
    t.switches = counted.switches();
    t.preemptions = counted.preemptions();
  }
  return t;
}

std::string answer(const TraceReader& trace, const ViewOptions& options) {
  const TraceHead& head = trace.head();
  const Outcome ended = outcome(trace);
  if (ended == Outcome::kFailed) {
    const FailureRecord& f = *head.failure;
    std::string text = f.message.empty() ? std::string(to_text(f.kind)) : f.message;
    const std::string at = position(f.file, f.line, f.function, f.thread);
    constexpr std::size_t kLongLine = 110;
    const bool fits = text.size() + at.size() <= kLongLine;
    text = clean(text, options.utf8);
    if (!at.empty()) text += (fits ? "   " : "\n  ") + clean(at, options.utf8);
    text += head.complete ? "\n" : "   (trace incomplete)\n";
    return paint(options.colour, Paint::Red, "FAILED") + "  " + text + race_at_failure(head, options);
  }
  if (ended == Outcome::kIncomplete) {
    const std::string why = trace.damage().empty() ? "the run did not reach its end" : trace.damage();
    return paint(options.colour, Paint::Yellow, "incomplete") + ": " + clean(why, options.utf8) + "\n";
  }
  if (ended == Outcome::kKilled) {
    const int signal = WTERMSIG(head.wait_status);
    const char* name = strsignal(signal);
    return fmt::format("killed by signal {} ({})\n", signal, name != nullptr ? name : "?");
  }
  const bool ok = ended == Outcome::kOk;
  return fmt::format("{} {}{}\n", ok ? paint(options.colour, Paint::Green, "ok") + ": exited" : "exited",
                     WEXITSTATUS(head.wait_status),
                     head.races.empty() ? "" : ", with " + counted_races(groups_of(head)));
}

std::string overview(const TraceReader& trace, const Survey& survey, const ViewOptions& options) {
  const TraceHead& head = trace.head();
  const Totals t = totals(trace, survey.counter);
  const std::string dot = fmt::format(" {} ", signs(options.utf8).dot);
  std::string command = head.meta.program;
  for (std::size_t i = 1; i < head.meta.argv.size(); ++i) command += " " + head.meta.argv[i];
  std::string out;
  if (!command.empty()) {
    if (head.meta.source != TraceSource::kHunted)
      command += fmt::format("   ({})", to_text(head.meta.source));
    else if (!head.meta.strategy.empty())
      command += fmt::format("   ({}, seed {}, run {})", head.meta.strategy, head.meta.seed, head.meta.run_index + 1);
    out += "  " + clean(command, options.utf8) + "\n";
  }
  const std::size_t threads = std::max(head.threads.size(), survey.thread_events.size());
  out += fmt::format("  {}{}{}{}{}, {}\n", counted("thread", threads), dot, counted("event", trace.event_count()), dot,
                     t.switches == 1 ? "1 switch" : grouped(t.switches) + " switches",
                     counted("preemption", t.preemptions));
  if (!trace.damage().empty() && head.failure) out += "  " + clean(trace.damage(), options.utf8) + "\n";
  std::size_t width = 0;
  for (std::size_t i = 0; i < head.threads.size() && i < kMaxThreads; ++i)
    width = std::max(width, std::min<std::size_t>(head.threads[i].name.size(), 16));
  for (std::size_t i = 0; i < head.threads.size() && i < kMaxThreads; ++i) {
    const ThreadRecord& r = head.threads[i];
    const std::uint64_t events = i < survey.thread_events.size() ? survey.thread_events[i] : 0;
    std::string what = r.entry;
    if (!r.label.empty()) what += fmt::format(" \"{}\"", r.label);
    out += fmt::format("    {}  {}  {}\n", pad(clean(r.name, options.utf8), width, options.utf8),
                       pad(clean(what, options.utf8), 28, options.utf8), counted("event", events));
  }
  if (head.threads.size() > kMaxThreads)
    out += fmt::format("    and {} more\n", counted("thread", head.threads.size() - kMaxThreads));
  return out;
}

static std::string timeouts_text(const TraceReader& trace, const ViewOptions& options) {
  SectionText section("time-outs that ended early", options);
  if (auto timeouts = early_timeouts(trace))
    for (const EarlyTimeout& timeout : *timeouts) section.line(in_words(timeout));
  return section.take();
}

std::string findings(const TraceReader& trace, const ViewOptions& options) {
  const TraceHead& head = trace.head();
  std::string out;
  if (head.failure) out += deadlock_text(*head.failure, options) + threads_text(*head.failure, options);
  out += timeouts_text(trace, options);
  return out + races_text(head, options) + notes_text(head, options) + output_text(head, options);
}

bool can_be_replayed(const TraceHead& head) { return !head.schedule.empty() && head.unreplayable == 0; }

std::string next_step(const TraceReader& trace, const ViewOptions& options) {
  if (options.trace.empty() || !can_be_replayed(trace.head())) return {};
  return fmt::format("\nreplay it:  heddle replay {}\n", clean(options.trace.string(), options.utf8));
}

}  // namespace heddle
