#include "src/trace/schedule.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr std::size_t kMaxName = 1024;
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 48;  // per segment: sums cannot overflow

/// The next word of `line`; empty at the end or at a comment.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos || line[begin] == '#') return line = {};
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r#"));
  line.remove_prefix(word.size());
  return word;
}

/// A path of creation ("0", "0.1.2"), or the "?7" of a thread whose name is lost.
bool is_thread_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxName) return false;
  if (name.front() == '?') name.remove_prefix(1);
  bool digit = false;
  for (char c : name) {
    if (c == '.' ? !digit : (c < '0' || c > '9')) return false;
    digit = c != '.';
  }
  return digit;
}

}  // namespace

Schedule::Schedule(std::span<const HeddleSegment> segments, std::span<const ThreadRecord> threads) {
  for (const HeddleSegment& s : segments)
    append(s.thread < threads.size() && is_thread_name(threads[s.thread].name) ? threads[s.thread].name
                                                                               : fmt::format("?{}", s.thread),
           s.steps);
}

ThreadId Schedule::intern(std::string_view name) {
  // Few threads, and mostly one of the last used: search from the end.
  for (std::size_t i = names_.size(); i-- > 0;)
    if (names_[i] == name) return ThreadId(static_cast<std::uint32_t>(i));
  names_.emplace_back(name);
  return ThreadId(static_cast<std::uint32_t>(names_.size() - 1));
}

void Schedule::append(std::string_view thread, std::uint64_t steps) {
  if (steps == 0) return;
  const ThreadId id = intern(thread);
  if (!segments_.empty() && segments_.back().thread == id)
    segments_.back().steps += steps;
  else
    segments_.push_back({id, steps});
}

Result<Schedule> Schedule::parse(std::string_view text) {
  Schedule schedule;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t length = text.find('\n');
    std::string_view line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);

    const std::string_view thread = next_word(line);
    if (thread.empty()) continue;
    if (!is_thread_name(thread))
      return error(fmt::format("line {}: \"{}\" is not a thread name", number, thread.substr(0, 40)),
                   "write it like 0 or 0.1.2");
    const std::string_view steps = next_word(line);
    std::uint64_t n = 0;
    const auto [end, code] = std::from_chars(steps.data(), steps.data() + steps.size(), n);
    if (steps.empty() || code != std::errc() || end != steps.data() + steps.size() || n == 0 || n > kMaxSteps)
      return error(fmt::format("line {}: the number of steps of thread {} must be 1 or more", number, thread));
    if (const std::string_view extra = next_word(line); !extra.empty())
      return error(fmt::format("line {}: \"{}\" after the number of steps", number, extra.substr(0, 40)));
    schedule.append(thread, n);
  }
  return schedule;
}

std::string Schedule::print() const {
  std::string out = "# heddle schedule 1\n# thread  steps\n";
  std::size_t width = 0;
  for (const std::string& name : names_) width = std::max(width, name.size());
  for (const Segment& s : segments_)
    fmt::format_to(std::back_inserter(out), "{:<{}}  {}\n", name(s.thread), width, s.steps);
  return out;
}

Result<std::vector<HeddleSegment>> Schedule::bind(std::span<const ThreadRecord> threads) const {
  std::unordered_map<std::string_view, std::uint32_t> index;
  for (std::size_t i = 0; i < threads.size(); ++i) index.emplace(threads[i].name, static_cast<std::uint32_t>(i));
  std::vector<HeddleSegment> bound;
  for (const Segment& s : segments_) {
    const auto it = index.find(name(s.thread));
    if (it == index.end())
      return error(fmt::format("the schedule names thread {}, which this execution does not have", name(s.thread)));
    for (std::uint64_t left = s.steps; left > 0;) {
      const auto steps =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(left, std::numeric_limits<std::uint32_t>::max()));
      bound.push_back({it->second, steps});
      left -= steps;
    }
  }
  return bound;
}

std::uint64_t Schedule::steps() const {
  std::uint64_t sum = 0;
  for (const Segment& s : segments_) sum += s.steps;
  return sum;
}

std::optional<std::uint64_t> Schedule::divergence(const Schedule& run) const {
  std::uint64_t step = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (i >= run.segments_.size() || run.name(run.segments_[i].thread) != name(segments_[i].thread)) return step;
    const std::uint64_t ours = segments_[i].steps, theirs = run.segments_[i].steps;
    step += std::min(ours, theirs);
    const bool last = i + 1 == segments_.size();
    if (theirs < ours || (theirs > ours && !last)) return step;
  }
  return std::nullopt;
}

bool Schedule::operator==(const Schedule& other) const {
  return std::ranges::equal(segments_, other.segments_, [&](const Segment& a, const Segment& b) {
    return a.steps == b.steps && name(a.thread) == other.name(b.thread);
  });
}

void SwitchCounter::add(const HeddleEvent& event) {
  if (current_ && *current_ != event.thread) ++switches_;
  current_ = event.thread;
  if (event.flags & HEDDLE_EF_PREEMPTED) ++preemptions_;
}

}  // namespace heddle
