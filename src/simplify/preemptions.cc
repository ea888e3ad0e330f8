#include "src/simplify/preemptions.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/source_files.h"
#include "src/show/words.h"
#include "src/simplify/statement.h"

namespace heddle {
namespace {

constexpr std::size_t kLongestText = 60;

class Finder {
 public:
  Finder(const TraceHead& head, const Turns& turns, std::optional<std::filesystem::file_time_type> built)
      : names_(head), sources_(head.meta.cwd, built, {.named = true}), turns_(turns) {
    if (head.failure) failed_ = head.failure->threads;
  }

  void add(HeddleEvent event) {
    creations_.number(event);
    if (event.flags & HEDDLE_EF_POINT) step(event);
    if (!(kind_properties(event.kind) & HEDDLE_P_NOTE)) last_[event.thread] = event;
    const PlaceId where = names_.place(event);
    if (names_.foreign(where) || names_.place(where).line == 0) return;
    visit(event, where);
    if (auto own = own_.find(event.thread); own != own_.end() && names_.place(own->second) != where)
      line_before_[event.thread] = own->second;
    own_[event.thread] = event;
    if (open_ && event.thread == *previous_ && event.kind != HEDDLE_EV_THREAD_START) {
      found_.back().ran = place(event, event.thread);
      open_ = false;
    }
  }
  std::vector<Preemption> take() {
    for (const auto& [thread, preemption] : stopped_) never_went_on(thread, found_[preemption].stopped);
    return std::move(found_);
  }

 private:
  void step(const HeddleEvent& event) {
    const bool new_turn = previous_ && *previous_ != event.thread;
    if (new_turn) open_ = turn_ < turns_.size() && turns_[turn_].preempted;
    if (open_ && new_turn) {
      stopped_[*previous_] = found_.size();
      found_.push_back({steps_, place(last_own(*previous_), *previous_), place(event, event.thread)});
    }
    if (new_turn) turn_++;
    previous_ = event.thread;
    steps_++;
  }

  /// Follows a thread through its lines. One that was stopped and goes on in the same line, with an operation that this
  /// time it has not done there (or it is in the next turn of a loop), was stopped inside of it.
  void visit(const HeddleEvent& event, PlaceId where) {
    Visit& visit = visits_[event.thread];
    if (kind_properties(event.kind) & HEDDLE_P_NOTE) {
      if (visit.where != where) visit = {};
      return;
    }
    const std::pair operation{event.site, event.kind};
    const bool goes_on = visit.where == where && std::ranges::find(visit.done, operation) == visit.done.end();
    if (!goes_on) visit = {where, {}, {}};
    if (const auto stopped = stopped_.find(event.thread); stopped != stopped_.end()) {
      if (goes_on) found_[stopped->second].stopped.between = both(visit.last, event);
      stopped_.erase(stopped);
    }
    visit.done.push_back(operation);
    visit.last = event;
  }

  /// What a statement does before its point (it reads the pointer p of p->b = 2) is executed and no proof that the
  /// statement is. Where a thread goes on, the next event tells; of one that does not, where it stood at the failure:
  /// then it was stopped behind the line before.
  void never_went_on(std::uint16_t thread, PlaceOfThread& stopped) {
    const auto own = own_.find(thread);
    if (own == own_.end()) return;
    const ThreadAtFailure* at_failure = nullptr;
    for (const ThreadAtFailure& one : failed_)
      if (one.thread == stopped.thread) at_failure = &one;
    const auto is_here = [&](const Frame& frame) { return frame.line == stopped.line && frame.file == stopped.file; };
    const bool known = at_failure && !at_failure->stack.empty();
    const bool point = (own->second.flags & HEDDLE_EF_POINT) != 0;
    if (known ? std::ranges::none_of(at_failure->stack, is_here) : point) return;
    const bool again =
        known && at_failure->state.activity == Activity::kAboutTo && at_failure->state.operation == own->second.kind;
    if (again && point) return;  // the next turn of a loop
    if (const auto before = line_before_.find(thread); known && before != line_before_.end())
      stopped = place(before->second, thread);
    else
      stopped.unfinished = true;
  }

  /// "its read and its write of hits", "its unlock of m and its read of hits"
  std::string both(const HeddleEvent& first, const HeddleEvent& second) const {
    const auto of = [](const std::string& what) { return what.empty() ? what : " of " + what; };
    const std::string one = clean(names_.what(first), true), other = clean(names_.what(second), true);
    return fmt::format("its {}{} and its {}{}", kind_text(first.kind), one == other ? "" : of(one),
                       kind_text(second.kind), of(other));
  }

  /// The last event in the user's code; a wrapper's own accesses say less.
  std::optional<HeddleEvent> last_own(std::uint16_t thread) const {
    for (const auto* events : {&own_, &last_})
      if (auto it = events->find(thread); it != events->end()) return it->second;
    return std::nullopt;
  }

  PlaceOfThread place(const std::optional<HeddleEvent>& event, std::uint16_t thread) {
    PlaceOfThread out;
    out.thread = names_.thread(thread);
    if (!event) return out;
    const Place& where = names_.place(names_.place(*event));
    out.function = clean(where.function, true);
    out.file = where.file;
    out.line = where.line;
    std::string_view code = statement_at(sources_.indented(where.file, where.line), names_.column(*event));
    if (sources_.is_changed(where.file)) code = {};
    out.text = fit(clean(code.empty() ? describe(*event, names_) : std::string(code), true), kLongestText, true);
    return out;
  }

  Names names_;
  SourceFiles sources_;
  Creations creations_;
  const Turns& turns_;
  std::size_t turn_ = 0;
  std::uint64_t steps_ = 0;
  std::optional<std::uint16_t> previous_;
  std::map<std::uint16_t, HeddleEvent> last_, own_;
  std::map<std::uint16_t, HeddleEvent> line_before_;  // the last event of the line before that of own_
  std::vector<ThreadAtFailure> failed_;
  struct Visit {  // of a line by a thread
    PlaceId where = 0;
    std::vector<std::pair<std::uint32_t, std::uint8_t>> done;  // site and kind
    HeddleEvent last{};
  };
  std::map<std::uint16_t, Visit> visits_;
  std::map<std::uint16_t, std::size_t> stopped_;  // threads that have not gone on since: which preemption it was
  std::vector<Preemption> found_;
  bool open_ = false;  // of the last one found, something in the user's code is still to come
};

std::string place_text(const PlaceOfThread& place) {
  std::string out = place.line ? fmt::format("{}:{}", base_name(place.file), place.line)
                               : (place.function.empty() ? std::string("an unknown place") : place.function);
  if (!place.text.empty()) out += fmt::format(" ({})", place.text);
  return out;
}

}  // namespace

Result<std::vector<Preemption>> preemptions_of(const TraceReader& trace, const Turns& turns,
                                               std::optional<std::filesystem::file_time_type> built) {
  Finder finder(trace.head(), turns, built);
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& event : events) finder.add(event);
    return true;
  });
  if (!read) return std::unexpected(read.error());
  return finder.take();
}

std::string in_words(const Preemption& preemption) {
  const PlaceOfThread& stopped = preemption.stopped;
  const bool between = !stopped.between.empty();
  return fmt::format("thread {} was stopped {} {}{}, thread {} ran {}", stopped.thread,
                     between || stopped.unfinished ? "in" : "after", place_text(stopped),
                     between ? " between " + stopped.between : "", preemption.ran.thread, place_text(preemption.ran));
}

}  // namespace heddle
