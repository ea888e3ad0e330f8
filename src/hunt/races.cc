#include "src/hunt/races.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "src/engine/confirm.h"
#include "src/failure/failure.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxConfirmed = 50;

struct End {
  std::uint32_t site, thread, kind, stack;
};

RaceAccess access(const End& end, const RunOutcome& outcome, SiteResolver& resolver, Executor& executor) {
  const Evidence& evidence = *outcome.evidence;
  RaceAccess out;
  out.thread = end.thread < evidence.threads.size() ? thread_name(evidence.threads, end.thread) : "?";
  out.kind = end.kind < HEDDLE_EV_COUNT ? end.kind : 0;
  SiteRecord site = resolver.resolve(end.site);
  out.function = demangle(site.function);
  out.file = site.file;
  out.line = site.line;
  out.stack = symbolise(executor.symbolizer(), stack_addresses(evidence.stack_words, end.stack));
  // In a library's header, or in a wrapper, the caller says more.
  const auto own = std::ranges::find_if(out.stack, [](const Frame& f) { return !f.system; });
  const bool elsewhere = own != out.stack.end() && own->wrapper;
  const Frame* caller = elsewhere || out.file.starts_with("/usr/") || out.line == 0 ? user_frame(out.stack) : nullptr;
  if (caller && !caller->system && caller->line != 0) {
    out.function = caller->function;
    out.file = caller->file;
    out.line = caller->line;
  }
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

const HeddleRace* find_pair(const HeddleRace& race, const std::vector<HeddleRace>& among) {
  const auto same = std::find_if(among.rbegin(), among.rend(), [&](const HeddleRace& r) { return same_pair(r, race); });
  return same == among.rend() ? nullptr : &*same;
}

std::optional<std::string> unseen(const std::vector<HeddleRace>& wanted, const RunOutcome& outcome) {
  for (const HeddleRace& race : wanted)
    if (!find_pair(race, outcome.races)) return "it did not show a data race that it had shown";
  return std::nullopt;
}

void not_tried(std::uint64_t index, const std::vector<HeddleRace>& races, const HuntResult& result, Executor& executor,
               RaceFindings& findings) {
  findings.not_tried += races.size();
  const auto run = result.race_runs.find(index);
  if (run == result.race_runs.end()) return;
  for (const HeddleRace& race : races) {
    if (findings.seen_once.size() >= kMaxConfirmed) return;
    findings.seen_once.push_back(race_record(race, run->second, executor));
    findings.seen_in.push_back(index);
  }
}

}  // namespace

RaceFindings confirm_races(const HuntRequest& request, const HuntResult& result, Executor& executor) {
  RaceFindings findings;
  std::map<std::uint64_t, std::vector<HeddleRace>> by_run;
  for (const FoundRace& found : result.races) by_run[found.run].push_back(found.race);
  const auto stopped = [&] { return request.worker.stop && request.worker.stop->load(); };
  for (const auto& planned : by_run) {
    const std::uint64_t index = planned.first;
    const std::vector<HeddleRace>& wanted = planned.second;
    findings.stopped |= stopped();
    if (findings.races.size() >= kMaxConfirmed || findings.stopped) {
      not_tried(index, wanted, result, executor, findings);
      continue;
    }
    RunRequest again = plan_run(request, epoch_of(result, index), index);
    again.parameters.detector = 1;
    again.parameters.detail = HEDDLE_DETAIL_POINTS;  // the detector keeps stacks from here on
    again.keep_evidence = true;
    const auto differs = [&](const RunOutcome& outcome) { return unseen(wanted, outcome); };
    const Result<Confirmation> confirmed = confirm(executor, again, {request.conditions, differs});
    const bool cut_off = confirmed ? confirmed->interrupted() : stopped();
    std::vector<HeddleRace> missed;
    for (const HeddleRace& race : wanted) {
      const HeddleRace* seen = confirmed ? find_pair(race, confirmed->outcome.races) : nullptr;
      if (!seen) {
        missed.push_back(race);
        continue;
      }
      findings.races.push_back(race_record(*seen, confirmed->outcome, executor));
      findings.runs.push_back(index);
    }
    if (cut_off)  // which says nothing about the others
      not_tried(index, missed, result, executor, findings);
    else
      findings.unconfirmed += missed.size();
    findings.stopped |= cut_off;
  }
  return findings;
}

}  // namespace heddle
