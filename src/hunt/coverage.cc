#include "src/hunt/coverage.h"

#include <fmt/format.h>

namespace heddle {

namespace {

// Good-Turing says nothing of a small sample. Where none of n runs showed something new, up to 3 in n may (the rule of
// three, at 95 %).
constexpr std::uint64_t kLeastSample = 20, kSampleOfRare = 100;

}  // namespace

double CoverageSummary::unseen_at_least() const {
  if (once == 0) return 0;
  const auto n1 = static_cast<double>(once), n2 = static_cast<double>(twice);
  return twice ? n1 * n1 / (2 * n2) : n1 * (n1 - 1) / 2;
}

News Coverage::add(const Observation& seen) {
  bool new_pair = false;
  for (SitePair pair : seen.reads_from) new_pair |= pairs_.insert(key(pair)).second;
  summary_.runs++;
  summary_.reads_from = pairs_.size();
  summary_.quiet = new_pair ? 0 : summary_.quiet + 1;
  const std::uint32_t times = ++classes_[seen.order];
  summary_.classes = classes_.size();
  if (times == 1) summary_.once++;
  if (times == 2) summary_.once--, summary_.twice++;
  if (times == 3) summary_.twice--;
  const bool new_shape = shapes_.insert(seen.shape).second;
  summary_.shapes = shapes_.size();
  return {new_pair, times == 1, new_shape};
}

std::string describe(const CoverageSummary& s) {
  if (s.runs == 0) return {};
  const std::uint64_t last = s.quiet ? s.quiet : s.runs;
  const std::string sample = s.runs < s.of_runs ? fmt::format("in a sample of {} of {} runs: ", s.runs, s.of_runs) : "";
  std::string text = sample + fmt::format("{} reads-from pair{} ({} new in {}), {} class{} of schedules", s.reads_from,
                                 s.reads_from == 1 ? "" : "s", s.quiet ? "none" : "some",
                                 last == 1 ? "the last run" : fmt::format("the last {} runs", last), s.classes,
                                 s.classes == 1 ? "" : "es");
  if (s.waiting == 0) return text;
  if (s.waiting)
    return text + fmt::format("; {} schedule{} wait{} to be executed, and what these lead to", *s.waiting,
                              *s.waiting == 1 ? "" : "s", *s.waiting == 1 ? "s" : "");
  const std::string seen_once = s.once ? fmt::format("{} of them seen once", s.once) : "each seen more than once";
  if (s.runs < (s.once ? kLeastSample : kSampleOfRare))
    return text + fmt::format(", {}: too few runs to tell what others would show", seen_once);
  if (s.once == 0)
    text += fmt::format(
        ", each seen more than once: more runs with the same input{} will hardly show others",
        s.times == Times::kOnlyWhenDue ? ", in which sleeps and time-outs end only when no other thread can run," : "");
  else if (s.new_share() > 0.5)
    text += fmt::format(", {} of them seen once: most schedules of this program are unseen", s.once);
  else
    text += fmt::format(", {} of them seen once: about 1 in {:.0f} more runs would show a new one", s.once,
                        1 / s.new_share());
  if (s.once > 0 && s.new_share() <= 0.5 && s.unseen_at_least() >= 1)
    text += fmt::format("; at least {:.0f} {} unseen", s.unseen_at_least(), s.unseen_at_least() < 1.5 ? "is" : "are");
  return text;
}

}  // namespace heddle
