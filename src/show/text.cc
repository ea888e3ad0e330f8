#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "src/show/bytes_text.h"
#include "src/show/columns.h"
#include "src/show/fold.h"
#include "src/show/kind_text.h"
#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/summary.h"
#include "src/show/survey.h"
#include "src/show/view.h"
#include "src/show/words.h"

namespace heddle {
namespace {

constexpr std::uint64_t kShortFold = 24;  // fewer folded events get no line of their own, only a place in the sum

Result<std::optional<std::uint16_t>> thread_index(const TraceHead& head, const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  for (std::size_t i = 0; i < head.threads.size() && i < 0x10000; ++i)
    if (head.threads[i].name == *name) return static_cast<std::uint16_t>(i);
  std::string known;
  for (std::size_t i = 0; i < head.threads.size() && i < 20; ++i) known += (i == 0 ? "" : " ") + head.threads[i].name;
  return error(fmt::format("the trace has no thread {}", *name), "threads: " + known);
}

std::optional<std::uint16_t> index_of(const TraceHead& head, std::string_view name) {
  const auto it = std::ranges::find(head.threads, name, &ThreadRecord::name);
  if (it == head.threads.end() || it - head.threads.begin() > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(it - head.threads.begin());
}

/// Puts rows, folds and the end of the story into the columns.
class Story {
 public:
  Story(const TraceReader& trace, const ViewOptions& options, Names& names, SourceFiles& sources,
        std::vector<std::uint16_t> threads, std::optional<std::uint16_t> only, const Sink& sink)
      : head_(trace.head()),
        names_(names),
        only_(only),
        columns_(names, sources, head_, options, std::move(threads), sink) {
    if (head_.failure) failing_ = index_of(head_, head_.failure->thread);
  }
  bool begin() { return columns_.header(); }
  bool row(const Row& row, bool last_of_thread) {
    if (!skip_to(row.position)) return false;
    position_ = row.position + row.events;
    const bool fails = last_of_thread && failing_ == row.thread && failed_here(names_.place(row.place));
    told_ |= fails;
    return columns_.row(row, fails ? "FAILED" : "");
  }
  /// `total`: events the view is about.
  bool end(std::uint64_t total) {
    if (!skip_to(total)) return false;
    if (!head_.failure) return columns_.finish();
    const FailureRecord& f = *head_.failure;
    for (std::size_t i = 0; i < f.deadlock.size() && i < 32; ++i) {
      const DeadlockEdge& e = f.deadlock[i];
      const auto thread = index_of(head_, e.thread);
      if (!thread || (only_ && *only_ != *thread)) continue;
      const std::string held = is_held(e) ? ", held by " + e.holder : "";
      const Place place{e.wait_site.function, e.wait_site.file, e.wait_site.line};
      if (!columns_.remark(*thread, place, "waits", to_text(e) + held)) return false;
    }
    if (told_ || !f.deadlock.empty() || !failing_ || (only_ && *only_ != *failing_)) return columns_.finish();
    return columns_.remark(*failing_, {f.function, f.file, f.line}, "FAILED", f.message) && columns_.finish();
  }

  std::uint64_t folded() const { return folded_; }

 private:
  bool skip_to(std::uint64_t position) {
    const std::uint64_t gap = position - std::min(position, position_);
    folded_ += gap;
    return gap < kShortFold || columns_.fold(gap);
  }
  bool failed_here(const Place& place) const {
    const FailureRecord& f = *head_.failure;
    return f.deadlock.empty() && f.line != 0 && place.line == f.line && base_name(place.file) == base_name(f.file);
  }
  const TraceHead& head_;
  Names& names_;
  std::optional<std::uint16_t> only_, failing_;
  Columns columns_;
  std::uint64_t position_ = 0, folded_ = 0;
  bool told_ = false;
};

/// Threads that need a column for what comes after the last event.
void add_threads_of_failure(const TraceHead& head, std::set<std::uint16_t>& threads) {
  if (!head.failure) return;
  if (const auto t = index_of(head, head.failure->thread)) threads.insert(*t);
  for (std::size_t i = 0; i < head.failure->deadlock.size() && i < 32; ++i)
    if (const auto t = index_of(head, head.failure->deadlock[i].thread)) threads.insert(*t);
}

bool tell_folded(const TraceReader& trace, const Survey& survey, const ViewOptions& options,
                 std::optional<std::uint16_t> only, Names& names, SourceFiles& sources, const Sink& sink) {
  Fold fold({.around = options.around});
  std::uint64_t total = 0;
  // By thread, the first event of its last row; what a library does behind it to report a failure does not count.
  std::vector<std::uint64_t> last_row(survey.thread_events.size(), ~0ull);
  (void)for_each_row(trace, survey, names, only, [&](Row& row) {
    if (!row.foreign) last_row[row.thread] = row.index;
    fold.add(row);
    total = row.position + row.events;
    return true;
  });
  const std::vector<Row> rows = fold.finish();
  std::set<std::uint16_t> threads;
  for (const Row& r : rows) threads.insert(r.thread);
  if (only)
    threads.insert(*only);
  else
    add_threads_of_failure(trace.head(), threads);
  Story story(trace, options, names, sources, {threads.begin(), threads.end()}, only, sink);
  if (!rows.empty() || trace.head().failure)
    if (!story.begin()) return false;
  for (const Row& r : rows)
    if (!story.row(r, r.index == last_row[r.thread])) return false;
  if (!story.end(total)) return false;
  return story.folded() == 0 ||
         sink(fmt::format("  ({} not shown; --full shows all)\n", counted("event", story.folded())));
}

bool tell_all(const TraceReader& trace, const Survey& survey, const ViewOptions& options,
              std::optional<std::uint16_t> only, Names& names, SourceFiles& sources, const Sink& sink) {
  std::set<std::uint16_t> threads;
  for (std::size_t t = 0; t < survey.thread_events.size(); ++t)
    if (survey.thread_events[t] > 0 && (!only || *only == t)) threads.insert(static_cast<std::uint16_t>(t));
  if (!only) add_threads_of_failure(trace.head(), threads);
  std::vector<std::uint64_t> left = survey.thread_events;
  Story story(trace, options, names, sources, {threads.begin(), threads.end()}, only, sink);
  if (!story.begin()) return false;
  std::uint64_t total = 0;
  bool reading = true;
  (void)for_each_row(trace, survey, names, only, [&](Row& row) {
    total = row.position + row.events;
    left[row.thread] -= std::min(left[row.thread], row.events);
    return reading = story.row(row, left[row.thread] == 0);
  });
  return reading && story.end(total);
}

}  // namespace

Status show_text(const TraceReader& trace, const ViewOptions& options, const Sink& sink) {
  const TraceHead& head = trace.head();
  const auto only = thread_index(head, options.thread);
  if (!only) return std::unexpected(only.error());
  const Survey seen = survey(trace, threads_that_could_run(head));
  Names names(head);
  SourceFiles sources(head.meta.cwd, options.written, options.sources);
  if (!sink(answer(trace, options) + overview(trace, seen, options) + "\n")) return {};
  const auto tell = options.full ? tell_all : tell_folded;
  if (!tell(trace, seen, options, *only, names, sources, sink)) return {};
  std::string rest = findings(trace, options);
  for (const std::string& file : sources.changed())
    rest += fmt::format("\nnote: {} has changed since the trace was made: lines may not match\n",
                        clean(file, options.utf8));
  sink(rest + next_step(trace, options));
  return {};
}

namespace {

/// Lines of show_events.
class EventLines {
 public:
  EventLines(const TraceReader& trace, const ViewOptions& options)
      : trace_(trace),
        names_(trace.head()),
        options_(options),
        room_(std::max<std::size_t>(options.width, kBefore + kWhat + 40) - kBefore - kWhat - 1) {}

  void add(const HeddleEvent& e, std::uint64_t number, std::string& out) {
    const Place& place = names_.place(names_.place(e));
    std::string at = place.line == 0 ? std::string(place.function)
                                     : fmt::format("{}:{} {}", base_name(place.file), place.line, place.function);
    const char* mark = e.flags & HEDDLE_EF_PREEMPTED                ? "  (after preemption)"
                       : (e.flags & HEDDLE_EF_SWITCH) && number > 0 ? "  (switch)"
                                                                    : "";
    std::string what = clean(describe(e, names_), options_.utf8);
    if (is_range(e)) what += bytes_of(number);
    out += fmt::format("{:>9} {} {:<8} {} {}{}", number, e.flags & HEDDLE_EF_POINT ? '*' : ' ',
                       clean(names_.thread(e.thread), options_.utf8),
                       pad(what, kWhat, options_.utf8),
                       fit(clean(at, options_.utf8), room_ - std::min(room_, std::strlen(mark)), options_.utf8), mark);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }

 private:
  static constexpr std::size_t kBefore = 9 + 1 + 1 + 1 + 8 + 1, kWhat = 36, kBytes = 16;
  std::string bytes_of(std::uint64_t number) const {
    const Result<std::optional<Payload>> payload = trace_.payload(number);
    return payload && *payload ? " " + bytes_text((*payload)->bytes, kBytes) : "";
  }

  const TraceReader& trace_;
  Names names_;
  const ViewOptions& options_;
  std::size_t room_;
};

Status show_step(const TraceReader& trace, const ViewOptions& options, std::optional<std::uint16_t> only,
                 const Sink& sink) {
  constexpr std::size_t kBefore = 10, kAfter = 11;  // the step itself is the first one after
  auto events = trace.events_around(*options.step, only, kBefore, kAfter);
  if (!events) return std::unexpected(events.error());
  EventLines lines(trace, options);
  std::string out = answer(trace, options);
  for (PlacedEvent& e : *events) {
    if (makes_thread(e.event)) e.event.address = e.made + 1;
    lines.add(e.event, e.position, out);
  }
  sink(out);
  return {};
}

}  // namespace

Status show_events(const TraceReader& trace, const ViewOptions& options, const Sink& sink) {
  const auto only = thread_index(trace.head(), options.thread);
  if (!only) return std::unexpected(only.error());
  if (options.step) return show_step(trace, options, *only, sink);
  if (options.first_event > 0 && options.first_event >= trace.event_count())
    return error(fmt::format("the trace has no event {}", options.first_event),
                 trace.event_count() == 0 ? "it has none" : fmt::format("its last one is {}", trace.event_count() - 1));
  if (!sink(answer(trace, options))) return {};
  EventLines lines(trace, options);
  std::string out;
  Status status = trace.for_each_block_from(
      options.first_event, [&](std::uint64_t number, std::uint64_t made, std::span<const HeddleEvent> events) {
        out.clear();
        Creations creations(made);
        for (HeddleEvent e : events) {
          creations.number(e);
          if (number > options.last_event) {
            sink(out);
            return false;
          }
          if (number >= options.first_event && (!*only || **only == e.thread)) lines.add(e, number, out);
          number++;
        }
        return sink(out);
      });
  if (!status) sink(status.error().message + "\n");
  return {};
}

}  // namespace heddle
