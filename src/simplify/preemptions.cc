#include "src/simplify/preemptions.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "src/show/names.h"
#include "src/show/rows.h"
#include "src/show/source_files.h"
#include "src/show/words.h"

namespace heddle {
namespace {

constexpr std::size_t kLongestText = 60;

class Finder {
 public:
  Finder(const TraceHead& head, const Turns& turns)
      : names_(head), sources_(head.meta.cwd, std::nullopt), turns_(turns) {}

  void add(HeddleEvent event) {
    creations_.number(event);
    if (event.flags & HEDDLE_EF_POINT) step(event);
    if (!(kind_properties(event.kind) & HEDDLE_P_NOTE)) last_[event.thread] = event;
    const PlaceId where = names_.place(event);
    if (names_.foreign(where) || names_.place(where).line == 0) return;
    own_[event.thread] = event;
    if (open_ && event.thread == *previous_ && event.kind != HEDDLE_EV_THREAD_START) {
      found_.back().ran = place(event, event.thread);
      open_ = false;
    }
  }
  std::vector<Preemption> take() { return std::move(found_); }

 private:
  void step(const HeddleEvent& event) {
    const bool new_turn = previous_ && *previous_ != event.thread;
    if (new_turn) open_ = turn_ < turns_.size() && turns_[turn_].preempted;
    if (open_ && new_turn)
      found_.push_back({steps_, place(last_own(*previous_), *previous_), place(event, event.thread)});
    if (new_turn) turn_++;
    previous_ = event.thread;
    steps_++;
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
    std::string_view code = sources_.line(where.file, where.line);
    code = code.substr(0, code.find(" //"));  // a comment is not what it did
    while (!code.empty() && (code.back() == ';' || code.back() == ' ' || code.back() == '{')) code.remove_suffix(1);
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

Result<std::vector<Preemption>> preemptions_of(const TraceReader& trace, const Turns& turns) {
  Finder finder(trace.head(), turns);
  Status read = trace.for_each_block([&](std::span<const HeddleEvent> events) {
    for (const HeddleEvent& event : events) finder.add(event);
    return true;
  });
  if (!read) return std::unexpected(read.error());
  return finder.take();
}

std::string in_words(const Preemption& preemption) {
  return fmt::format("thread {} was stopped after {}, thread {} ran {}", preemption.stopped.thread,
                     place_text(preemption.stopped), preemption.ran.thread, place_text(preemption.ran));
}

}  // namespace heddle
