// A trace as Perfetto shows it: a track per thread with its segments, its events in them and its waits between them;
// below it the locks it holds. Time is the number of the event, a microsecond each: a run under control has no other
// that counts.
#include <algorithm>

#include <fmt/format.h>

#include "src/show/kind_text.h"
#include "src/show/names.h"
#include "src/show/perfetto_writer.h"
#include "src/show/rows.h"
#include "src/show/source_files.h"
#include "src/show/spans.h"
#include "src/show/survey.h"
#include "src/show/view.h"
#include "src/show/words.h"

namespace heddle {
namespace {

constexpr std::uint64_t kTick = 1000;       // ns per event
constexpr std::uint64_t kTracks = 16;       // numbers of tracks per thread: its own, and rows of locks
constexpr std::size_t kRows = kTracks - 1;  // more locks at once than that are not shown
constexpr std::string_view kFail = "failure", kRun = "segment", kEvent = "event", kWait = "wait", kLock = "lock",
                           kSwitch = "switch", kPreempt = "preemption";

constexpr TrackId kProcessTrack{1};
TrackId track_of(std::uint32_t thread, std::size_t row = 0) { return TrackId{(thread + 1ull) * kTracks + row}; }

class Timeline {
 public:
  Timeline(const TraceReader& trace, const ViewOptions& options, const Sink& sink)
      : trace_(trace),
        head_(trace.head()),
        survey_(survey(trace, threads_that_could_run(head_))),
        names_(head_),
        sources_(head_.meta.cwd, options.written, options.sources),
        out_(sink),
        spans_([this](const Span& s) { span(s); }, &survey_.momentary) {}

  void write() {
    tracks();
    (void)trace_.for_each_block([&](std::span<const HeddleEvent> block) {
      for (const HeddleEvent& e : block) add(e);
      return out_.reading();
    });
    close_segment();
    spans_.finish(index_);
    ending();
    out_.finish();
  }

 private:
  struct Thread {
    std::uint64_t last = 0;  // index of its last event
    bool seen = false;
    std::vector<std::uint64_t> rows;  // of locks: until when each is taken
  };

  void tracks() {
    std::vector<std::string> command{head_.meta.program};
    if (head_.meta.argv.size() > 1) command.insert(command.end(), head_.meta.argv.begin() + 1, head_.meta.argv.end());
    out_.process(kProcessTrack, base_name(head_.meta.program.empty() ? "program" : head_.meta.program), command);
    threads_.resize(std::max(head_.threads.size(), survey_.thread_events.size()));
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
      std::string name = names_.thread(i);
      if (i < head_.threads.size()) {
        const ThreadRecord& r = head_.threads[i];
        name += " " + (r.label.empty() ? r.entry : r.label);
      }
      out_.thread(track_of(i), i, name);
    }
  }

  static std::string where(const Place& p) {
    if (p.line == 0) return std::string(p.function);
    return fmt::format("{}:{}{}", base_name(p.file), p.line,
                       p.function.empty() ? "" : fmt::format(" in {}", p.function));
  }

  void add(HeddleEvent e) {
    creations_.number(e);
    const bool leaves = index_ > 0 && e.thread != current_;
    if (leaves) close_segment();
    if (leaves) change(e.thread);
    spans_.add(index_, e);
    const Place& place = names_.place(names_.place(e));
    if (index_ == 0 || leaves)
      out_.begin(track_of(e.thread), index_ * kTick, kRun, place.function.empty() ? "runs" : place.function);
    steps_ += (e.flags & HEDDLE_EF_POINT) != 0;
    out_.begin(track_of(e.thread), index_ * kTick, kEvent, describe(e, names_),
               {{"at", where(place)},
                {"code", sources_.line(place.file, place.line)},
                {"step", "", steps_},
                {"event", "", index_}});
    out_.end(track_of(e.thread), ++index_ * kTick);
    current_ = e.thread;
    threads_[e.thread].last = index_ - 1;
    threads_[e.thread].seen = true;
  }

  void close_segment() {
    if (index_ > 0) out_.end(track_of(current_), index_ * kTick);
  }

  void change(std::uint16_t to) {
    const bool preempts = switches_ < survey_.preempted.size() && survey_.preempted[switches_];
    ++switches_;
    out_.instant(track_of(current_), index_ * kTick, preempts ? kPreempt : kSwitch, preempts ? "preempted" : "switch",
                 {{"next", names_.thread(to)}});
  }

  void span(const Span& s) {
    const std::uint16_t thread = s.cause.thread;
    const std::string what = names_.what(s.cause), at = where(names_.place(names_.place(s.cause)));
    if (s.kind == Span::Kind::Wait) {
      out_.begin(track_of(thread), s.from * kTick, kWait, fmt::format("waits: {} {}", kind_text(s.cause.kind), what),
                 {{"at", at}});
      out_.end(track_of(thread), s.to * kTick);
      return;
    }
    std::vector<std::uint64_t>& rows = threads_[thread].rows;
    std::size_t row = 0;
    while (row < rows.size() && rows[row] > s.from) ++row;
    if (row >= kRows) return;
    if (row == rows.size()) {
      rows.push_back(0);
      out_.child(track_of(thread, row + 1), track_of(thread), fmt::format("locks of {}", names_.thread(thread)));
    }
    rows[row] = s.to;
    out_.begin(track_of(thread, row + 1), s.from * kTick, kLock, what, {{"taken at", at}});
    out_.end(track_of(thread, row + 1), s.to * kTick);
  }

  /// Who waits for what at the end, and the failure.
  void ending() {
    if (!head_.failure) return;
    const FailureRecord& f = *head_.failure;
    const std::uint64_t end = (index_ + std::max<std::uint64_t>(2, index_ / 20)) * kTick;
    TrackId failing = kProcessTrack;
    for (std::uint32_t i = 0; i < head_.threads.size(); ++i) {
      if (head_.threads[i].name == f.thread) failing = track_of(i);
      const auto state = std::ranges::find(f.threads, head_.threads[i].name, &ThreadAtFailure::thread);
      if (state == f.threads.end() || !threads_[i].seen || state->state.activity != Activity::kWaiting) continue;
      out_.begin(track_of(i), (threads_[i].last + 1) * kTick, kWait, to_text(state->state));
      out_.end(track_of(i), end);
    }
    const std::string at = where({f.function, f.file, f.line});
    for (const TrackId track : {failing, kProcessTrack}) {
      out_.instant(track, index_ * kTick, kFail, "FAILED: " + f.message,
                   {{"at", at}, {"file", f.file}, {"kind", std::string(token(f.kind))}, {"thread", f.thread}});
      if (failing == kProcessTrack) break;
    }
  }

  const TraceReader& trace_;
  const TraceHead& head_;
  Survey survey_;
  Names names_;
  SourceFiles sources_;
  PerfettoWriter out_;
  Spans spans_;
  Creations creations_;
  std::vector<Thread> threads_;
  std::uint64_t index_ = 0, switches_ = 0, steps_ = 0;
  std::uint16_t current_ = 0;
};

}  // namespace

Status show_perfetto(const TraceReader& trace, const ViewOptions& options, const Sink& sink) {
  Timeline(trace, options, sink).write();
  return {};
}

}  // namespace heddle
