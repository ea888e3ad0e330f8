#include "tests/laws/difference.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/engine/trace_builder.h"
#include "src/failure/failure.h"

namespace heddle::laws {
namespace {

const char* kind_text(std::uint32_t kind) {
  static constexpr const char* kTexts[] = {
#define HEDDLE_X(name, text, event_class, object, properties) text,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  return kind < HEDDLE_EV_COUNT ? kTexts[kind] : "?";
}

std::string describe(Subject& subject, const Execution& execution, std::uint16_t thread, std::uint32_t kind,
                     std::uint32_t site) {
  const Evidence& evidence = *execution.outcome.evidence;
  SiteRecord where = SiteResolver(evidence, subject.executor()).resolve(site);
  std::string name = thread < evidence.threads.size() ? thread_name(evidence.threads, thread) : "?";
  return fmt::format("{} {} {}:{} in {}", name, kind_text(kind), where.file, where.line, where.function);
}

std::string describe(Subject& subject, const Execution& execution, const HeddleEvent& e) {
  return fmt::format("{} (site {:#x}, object {}, value {:#x}, flags {:#x}, address {:#x})",
                     describe(subject, execution, e.thread, e.kind, e.site), e.site, e.object, e.value, e.flags,
                     e.address);
}

// How much too early a sleep ended is computed anew by each execution, and not yet alike where a timer or a signal may
// come first: a replay has those as inputs, not as timers. Everything else of the event is compared.
bool has_unsure_value(const HeddleEvent& e) { return e.kind == HEDDLE_EV_SLEEP; }

bool same(const HeddleEvent& a, const HeddleEvent& b) {
  const bool without = has_unsure_value(a);
  const unsigned flags = without ? ~unsigned{HEDDLE_EF_VALUE} : ~0u;
  return a.thread == b.thread && a.kind == b.kind && a.site == b.site && a.object == b.object &&
         (without || a.value == b.value) && (a.flags & flags) == (b.flags & flags);
}

std::string ending(const RunOutcome& outcome) {
  if (outcome.failure) return std::string(token(outcome.failure->kind)) + " " + outcome.failure->signature;
  return fmt::format("wait status {:#x}", outcome.wait_status);
}

std::string divergence_text(Subject& subject, const Execution& actual) {
  const HeddleDivergence& d = actual.outcome.result.divergence;
  return fmt::format(
      "diverged at step {}, reason {} {}: expected thread {}, actual {}", d.step, d.reason,
      bounded_string(d.text, sizeof d.text), static_cast<int>(d.expected_thread),
      describe(subject, actual, static_cast<std::uint16_t>(d.actual_thread), d.actual_kind, d.actual_site));
}

}  // namespace

std::string outcome_difference(Subject& subject, const Execution& expected, const Execution& actual) {
  const RunOutcome &e = expected.outcome, &a = actual.outcome;
  if (a.result.divergence.happened) return divergence_text(subject, actual);
  if (ending(e) != ending(a)) return fmt::format("ended with {} instead of {}", ending(a), ending(e));
  if (e.result.steps != a.result.steps) return fmt::format("{} steps instead of {}", a.result.steps, e.result.steps);
  if (e.result.hash != a.result.hash)
    return fmt::format("{} steps, but others: hash {:#x} instead of {:#x}", a.result.steps, a.result.hash,
                       e.result.hash);
  // A forked process runs uncontrolled, and not at all in a replay: what it writes is its own.
  bool forked = std::any_of(expected.events.begin(), expected.events.end(),
                            [](const HeddleEvent& event) { return event.kind == HEDDLE_EV_FORK; });
  if (!forked && e.output.text != a.output.text)
    return fmt::format("wrote {:?} instead of {:?}", a.output.text.substr(0, 300), e.output.text.substr(0, 300));
  return {};
}

std::string event_difference(Subject& subject, const Execution& expected, const Execution& actual, Compared compared) {
  std::size_t i = 0, j = 0, number = 0;
  auto skip = [&](const std::vector<HeddleEvent>& events, std::size_t& at) {
    while (compared == Compared::kAllButBranches && at < events.size() && events[at].kind == HEDDLE_EV_BRANCH) at++;
  };
  for (;; i++, j++, number++) {
    skip(expected.events, i);
    skip(actual.events, j);
    if (i == expected.events.size() && j == actual.events.size()) return {};
    if (i < expected.events.size() && j < actual.events.size() && same(expected.events[i], actual.events[j])) continue;
    auto text = [&](const Execution& run, std::size_t at) {
      return at < run.events.size() ? describe(subject, run, run.events[at]) : std::string("the end");
    };
    return fmt::format("event {} of {} differs\n    expected  {}\n    actual    {}", number, expected.events.size(),
                       text(expected, i), text(actual, j));
  }
}

}  // namespace heddle::laws
