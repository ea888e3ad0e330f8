// One page that needs nothing else: the viewer (src/show/page/) with the trace in it.
//
// Rules of this file: everything of a trace is untrusted. Texts go into one JSON block whose "<", ">" and "&" are
// escaped, so nothing in it can end the block; the viewer puts them on the page as text only, and the page's policy
// runs no script but its own.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/show/kind_text.h"
#include "src/show/names.h"
#include "src/show/page.h"
#include "src/show/page_events.h"
#include "src/show/race_groups.h"
#include "src/show/rows.h"
#include "src/show/source_files.h"
#include "src/show/spans.h"
#include "src/show/summary.h"
#include "src/show/survey.h"
#include "src/show/view.h"
#include "src/show/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxEvents = 1'000'000;  // on one page; the last ones, since that is where runs fail
constexpr std::size_t kMaxSpans = 200'000, kMaxSwitches = 1'000'000, kMaxSourceLines = 20'000, kMaxStacks = 20'000;
constexpr std::size_t kMaxRaces = 50, kMaxNotes = 50, kMaxOutput = 20'000, kMaxLine = 400;
constexpr std::uint32_t kAround = 5;  // source lines before and after each that is used

/// A page is passed on to others: a trace that names a private file as its source must not get that in.
bool looks_like_source(std::string_view file) {
  static constexpr std::array<std::string_view, 30> kEndings{
      "c",   "cc",  "cpp", "cxx", "c++", "h",  "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp",
      "def", "ino", "s",   "S",   "m",   "mm", "cu", "cuh", "y",   "l",   "yy",  "ll",  "C",   "H",   "ixx"};
  const std::size_t dot = file.find_last_of('.');
  return dot != std::string_view::npos && std::ranges::find(kEndings, file.substr(dot + 1)) != kEndings.end();
}

/// Text that reads otherwise than it is, and control characters: not in a page either.
void neutralise(Json& json) {
  if (json.is_string())
    json = neutral(json.get_ref<const std::string&>());
  else if (json.is_structured())
    for (Json& part : json) neutralise(part);
}

std::string safe_json(Json json) {
  neutralise(json);
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    // These stand in strings only. "//" is broken up so that no text of a program reads like an address to load.
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else if (c == '/' && out.ends_with('/'))
      out += "\\/";
    else
      out += c;
  }
  return out;
}

std::string safe_text(std::string_view text) {
  std::string out;
  for (const char c : clean(text, true)) {
    if (c == '<' || c == '>' || c == '&' || c == '"')
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += c;
  }
  return out;
}

class Page {
 public:
  Page(const TraceReader& trace, const ViewOptions& options)
      : trace_(trace),
        head_(trace.head()),
        options_(options),
        survey_(survey(trace, threads_that_could_run(head_))),
        names_(head_),
        events_(names_),
        sources_(head_.meta.cwd, options.written, options.sources),
        first_(trace.event_count() - std::min(trace.event_count(), kMaxEvents)) {}

  bool write(const Sink& sink) {
    read_events();
    const std::string title =
        fmt::format("{} – heddle", base_name(head_.meta.program.empty() ? "trace" : head_.meta.program));
    return sink(kPage[0]) && sink(safe_text(title)) && sink(kPage[1]) && sink(events_.base64()) && sink(kPage[2]) &&
           sink(safe_json(tables())) && sink(kPage[3]);
  }

 private:
  void read_events() {
    std::uint64_t index = 0, switches = 0;
    std::uint32_t previous = ~0u;
    Creations creations;
    Spans spans([this](const Span& s) { add_span(s); }, &survey_.momentary);
    (void)trace_.for_each_block([&](std::span<const HeddleEvent> block) {
      for (HeddleEvent e : block) {
        creations.number(e);
        spans.add(index, e);
        if (index > 0 && e.thread != previous) {
          const std::uint64_t number = switches++;
          const bool preempts = number < survey_.preempted.size() && survey_.preempted[number];
          if (preempts && index >= first_ && preempted_.size() < kMaxSwitches) preempted_.push_back(index - first_);
        }
        previous = e.thread;
        if (index >= first_)
          events_.add(e);
        else
          steps_before_ += (e.flags & HEDDLE_EF_POINT) != 0;
        ++index;
      }
      return true;
    });
    spans.finish(index);
  }

  /// [thread, object or -kind, from, to, ended]
  void add_span(const Span& s) {
    if (s.to <= first_ || held_.size() + waits_.size() >= kMaxSpans) return;
    Json span = {s.cause.thread, s.cause.object, s.cause.kind, std::max(s.from, first_) - first_, s.to - first_};
    if (s.kind == Span::Kind::Wait) span.push_back(names_.what(s.cause));
    (s.kind == Span::Kind::Held ? held_ : waits_).push_back(std::move(span));
  }

  std::uint32_t file(std::string_view name) {
    const auto [it, added] = files_.try_emplace(std::string(name), static_cast<std::uint32_t>(file_names_.size()));
    if (added) file_names_.push_back(it->first);
    return it->second;
  }
  /// Remembers that this line is looked at.
  Json place(std::string_view function, std::string_view file_name, std::uint32_t line) {
    const std::uint32_t f = file(file_name);
    if (line != 0) used_lines_.emplace(f, line);
    return {function, f, line};
  }
  Json stack(const Stack& stack) {
    Json out = Json::array();
    for (const Frame& f : stack) {
      Json frame = f.system ? Json{f.function, file(f.file), f.line} : place(f.function, f.file, f.line);
      frame.push_back(f.system ? 1 : 0);
      if (f.file.empty()) frame.push_back(f.module);
      out.push_back(std::move(frame));
    }
    return out;
  }

  Json shapes() {
    Json out = Json::array();
    std::unordered_map<PlaceId, std::uint32_t> places;
    std::unordered_map<std::uint32_t, std::uint32_t> stacks;
    places_ = Json::array({place("", "", 0)});
    stacks_ = Json::array({Json::array()});
    for (const Shape& s : events_.shapes()) {
      const auto [at, new_place] = places.try_emplace(s.place, static_cast<std::uint32_t>(places_.size()));
      if (new_place) {
        const Place& p = names_.place(s.place);
        places_.push_back(place(p.function, p.file, p.line));
      }
      std::uint32_t stack_number = 0;
      if (s.stack != 0 && s.stack <= head_.stacks.size()) {
        const auto [known, new_stack] = stacks.try_emplace(s.stack, static_cast<std::uint32_t>(stacks_.size()));
        if (new_stack && stacks_.size() < kMaxStacks) stacks_.push_back(stack(head_.stacks[s.stack - 1]));
        if (known->second < stacks_.size()) stack_number = known->second;
      }
      out.push_back({s.kind, s.flags, at->second, s.what, s.object, stack_number});
    }
    return out;
  }

  static bool stays(Activity activity) {
    return activity == Activity::kWaiting || activity == Activity::kSleeping || activity == Activity::kOutside;
  }

  Json failure() {
    if (!head_.failure) return nullptr;
    const FailureRecord& f = *head_.failure;
    Json threads = Json::array(), deadlock = Json::array();
    // [name, what it does, stack, whether it stays there to the end, whether it has ended]
    for (const ThreadAtFailure& t : f.threads)
      threads.push_back({t.thread, to_text(t.state), stack(t.stack), stays(t.state.activity),
                         t.state.activity == Activity::kFinished});
    for (const DeadlockEdge& e : f.deadlock)
      deadlock.push_back({{"thread", e.thread},
                          {"operation", to_text(e.wait)},
                          {"object", e.object},
                          {"holder", e.holder},
                          {"held", is_held(e)},
                          {"wait", place(e.wait_site.function, e.wait_site.file, e.wait_site.line)},
                          {"hold", place(e.hold_site.function, e.hold_site.file, e.hold_site.line)}});
    return {{"kind", token(f.kind)}, {"message", f.message}, {"thread", f.thread},
            {"detail", f.detail},    {"threads", threads},   {"place", place(f.function, f.file, f.line)},
            {"deadlock", deadlock},  {"notes", f.notes}};
  }

  Json races() {
    Json out = Json::array();
    // [variable, [[access, access], ...], whether the failing statement uses it]
    const std::vector<RaceGroup> groups = grouped_races(head_.races, head_.failure ? &*head_.failure : nullptr);
    for (std::size_t i = 0; i < groups.size() && i < kMaxRaces; ++i) {
      Json pairs = Json::array();
      for (std::size_t k = 0; k < groups[i].races.size() && k < kMaxRaces; ++k) {
        Json accesses = Json::array();
        for (const RaceAccess* a : {&groups[i].races[k]->first, &groups[i].races[k]->second}) {
          const Frame at = own_frame(*a);
          accesses.push_back({a->thread, access_word(a->kind), place(at.function, at.file, at.line)});
        }
        pairs.push_back(std::move(accesses));
      }
      out.push_back({groups[i].variable, pairs, groups[i].at_failure});
    }
    return out;
  }

  Json threads() {
    Json out = Json::array();
    for (std::size_t i = 0; i < std::max(head_.threads.size(), survey_.thread_events.size()); ++i) {
      const std::uint64_t events = i < survey_.thread_events.size() ? survey_.thread_events[i] : 0;
      const bool known = i < head_.threads.size();
      out.push_back({names_.thread(static_cast<std::uint32_t>(i)), known ? head_.threads[i].entry : "",
                     known ? head_.threads[i].label : "", events});
    }
    return out;
  }

  /// Per file: the lines around all that are used, by number.
  Json source_lines() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;
    for (const auto& [f, line] : used_lines_)
      if (looks_like_source(file_names_[f]))
        for (std::uint32_t n = line - std::min(line, kAround); n <= line + std::uint64_t{kAround}; ++n)
          if (wanted.size() < kMaxSourceLines) wanted.emplace(f, n);
    Json out = Json::object();
    for (const auto& [f, line] : wanted)
      if (const std::string_view text = sources_.indented(file_names_[f], line); !text.empty())
        out[std::to_string(f)][std::to_string(line)] = text.substr(0, kMaxLine);
    return out;
  }

  /// Those that the page treats in a way of their own, by name.
  static Json kind_numbers() {
    return {{"threadStart", HEDDLE_EV_THREAD_START},
            {"threadExit", HEDDLE_EV_THREAD_EXIT},
            {"readRange", HEDDLE_EV_READ_RANGE},
            {"writeRange", HEDDLE_EV_WRITE_RANGE},
            {"atomicRmw", HEDDLE_EV_ATOMIC_RMW},
            {"atomicCas", HEDDLE_EV_ATOMIC_CAS},
            {"sleep", HEDDLE_EV_SLEEP},
            {"ioLeave", HEDDLE_EV_IO_LEAVE},
            {"ioReturn", HEDDLE_EV_IO_RETURN}};
  }

  Json tables() {
    const Totals t = totals(trace_, survey_.counter);
    ViewOptions plain = options_;
    plain.colour = false;
    plain.utf8 = true;
    Json kinds = Json::array(), objects = Json::object();
    for (std::uint32_t k = 0; k < HEDDLE_EV_COUNT; ++k)
      kinds.push_back({kind_text(k), kind_properties(k), token(heddle_event_class(k))});
    for (const ObjectRecord& o : head_.objects) objects[std::to_string(o.id)] = o.name;
    std::string command = head_.meta.program;
    for (std::size_t i = 1; i < head_.meta.argv.size(); ++i) command += " " + head_.meta.argv[i];
    const std::size_t cut = head_.output.size() - std::min(head_.output.size(), kMaxOutput);
    Json notes = Json::array();
    for (std::size_t i = 0; i < head_.notes.size() && i < kMaxNotes; ++i) notes.push_back(head_.notes[i]);
    Json out = {{"version", head_.meta.heddle_version},
                {"outcome", token(outcome(trace_))},
                {"answer", answer(trace_, plain)},
                {"trace", options_.trace.string()},
                {"replayable", can_be_replayed(head_)},
                {"command", command},
                {"strategy", strategy_token(head_.meta)},
                {"hunted", head_.meta.source == TraceSource::kHunted},
                {"recorded", head_.meta.source == TraceSource::kRecorded},
                {"seed", std::to_string(head_.meta.seed)},
                {"run", head_.meta.run_index + 1},
                {"first", first_},
                {"firstStep", steps_before_},
                {"total", trace_.event_count()},
                {"steps", t.steps},
                {"switches", t.switches},
                {"preemptions", t.preemptions},
                {"damage", trace_.damage()},
                {"threads", threads()},
                {"kinds", kinds},
                {"kindNumbers", kind_numbers()},
                {"objects", objects},
                {"strings", events_.strings()},
                {"shapes", shapes()},
                {"places", places_},
                {"stacks", stacks_},
                {"preempted", preempted_},
                {"held", held_},
                {"waits", waits_},
                {"failure", failure()},
                {"races", races()},
                {"notes", notes},
                {"output", is_binary(head_.output) ? binary_text(head_.output) : neutral(head_.output.substr(cut))},
                {"outputCut", cut > 0 || head_.output_truncated}};
    out["sources"] = source_lines();
    out["files"] = file_names_;
    out["changed"] = sources_.changed();
    return out;
  }

  const TraceReader& trace_;
  const TraceHead& head_;
  const ViewOptions& options_;
  Survey survey_;
  Names names_;
  PageEvents events_;
  SourceFiles sources_;
  std::uint64_t first_, steps_before_ = 0;
  std::vector<std::uint64_t> preempted_;  // events at which another thread was left that could have gone on
  Json held_ = Json::array(), waits_ = Json::array(), places_, stacks_;
  std::vector<std::string> file_names_;
  std::unordered_map<std::string, std::uint32_t> files_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> used_lines_;
};

}  // namespace

Status show_html(const TraceReader& trace, const ViewOptions& options, const Sink& sink) {
  Page(trace, options).write(sink);
  return {};
}

}  // namespace heddle
