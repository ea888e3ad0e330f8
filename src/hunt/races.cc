#include "src/hunt/races.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "src/engine/trace_builder.h"
#include "src/failure/failure.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxConfirmed = 50;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr milliseconds kLongestConfirming{10'000};  // beyond the time of the hunt

// A range is an access like any other to whoever reads about it.
std::string access_word(std::uint32_t kind) {
  static constexpr std::string_view kTexts[] = {
#define HEDDLE_X(name, text, properties) text,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  std::string_view text = kind < HEDDLE_EV_COUNT ? kTexts[kind] : "access";
  if (text.ends_with(" range")) text.remove_suffix(std::string_view(" range").size());
  return std::string(text);
}

struct End {
  std::uint32_t site, thread, kind, stack;
};

RaceAccess access(const End& end, const RunOutcome& outcome, SiteResolver& resolver, Executor& executor) {
  const Evidence& evidence = *outcome.evidence;
  RaceAccess out;
  out.thread = end.thread < evidence.threads.size() ? thread_name(evidence.threads, end.thread) : "?";
  out.kind = access_word(end.kind);
  SiteRecord site = resolver.resolve(end.site);
  out.function = demangle(site.function);
  out.file = site.file;
  out.line = site.line;
  out.stack = symbolise(executor.symbolizer(), stack_addresses(evidence.stack_words, end.stack));
  return out;
}

}  // namespace

RaceRecord race_record(const HeddleRace& race, const RunOutcome& outcome, Executor& executor) {
  SiteResolver resolver(*outcome.evidence, executor);
  RaceRecord record;
  record.size = race.size;
  record.first =
      access({race.first_site, race.first_thread, race.first_kind, race.first_stack}, outcome, resolver, executor);
  record.second =
      access({race.second_site, race.second_thread, race.second_kind, race.second_stack}, outcome, resolver, executor);
  // The name of a variable in static storage says most; then what the source calls it.
  record.variable = executor.symbolizer().data_name(race.address);
  if (record.variable.empty()) record.variable = resolver.resolve(race.second_site).variable;
  if (record.variable.empty()) record.variable = resolver.resolve(race.first_site).variable;
  return record;
}

namespace {

bool same_pair(const HeddleRace& a, const HeddleRace& b) {
  return (a.first_site == b.first_site && a.second_site == b.second_site) ||
         (a.first_site == b.second_site && a.second_site == b.first_site);
}

}  // namespace

RaceFindings confirm_races(const HuntRequest& request, const HuntResult& result, Executor& executor,
                           std::optional<milliseconds> longest) {
  RaceFindings findings;
  std::map<std::uint64_t, std::vector<HeddleRace>> by_run;
  for (const FoundRace& found : result.races) by_run[found.run].push_back(found.race);
  const milliseconds used(static_cast<std::int64_t>(result.seconds * 1000));
  const auto deadline =
      Clock::now() + longest.value_or(std::max(request.time - used, milliseconds(0)) + kLongestConfirming);
  const bool limited = longest || request.time.count() != 0;  // else nothing of the user's is
  const auto stopped = [&] { return request.worker.stop && request.worker.stop->load(); };
  for (const auto& [index, wanted] : by_run) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    findings.out_of_time |= limited && left.count() <= 0;
    findings.interrupted |= stopped();
    if (findings.races.size() >= kMaxConfirmed || findings.interrupted || findings.out_of_time) {
      findings.not_tried += wanted.size();
      continue;
    }
    RunRequest again = plan_run(request, epoch_of(result, index), index);
    again.parameters.detector = 1;
    again.parameters.detail = HEDDLE_DETAIL_POINTS;  // the detector keeps stacks from here on
    again.keep_evidence = true;
    if (limited) again.limits.total = again.limits.total.count() == 0 ? left : std::min(again.limits.total, left);
    Result<RunOutcome> outcome = executor.execute(again);
    if (limited && outcome && outcome->end == RunEnd::kTimeout && Clock::now() >= deadline) {
      findings.out_of_time = true;
      findings.not_tried += wanted.size();
      continue;
    }
    if (outcome ? outcome->end == RunEnd::kInterrupted : stopped()) {
      findings.interrupted = true;  // says nothing about the race
      findings.not_tried += wanted.size();
      continue;
    }
    for (const HeddleRace& race : wanted) {
      const HeddleRace* seen = nullptr;
      if (outcome)
        for (const HeddleRace& candidate : outcome->races)
          if (same_pair(candidate, race)) seen = &candidate;
      if (!seen || !outcome->evidence) {
        findings.unconfirmed++;
        continue;
      }
      findings.races.push_back(race_record(*seen, *outcome, executor));
      findings.runs.push_back(index);
    }
  }
  return findings;
}

}  // namespace heddle
