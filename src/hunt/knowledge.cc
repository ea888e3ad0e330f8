#include "src/hunt/knowledge.h"

#include <algorithm>

#include "src/hunt/dice.h"

namespace heddle {
namespace {

constexpr std::size_t kMostTold = 1800;  // sites, and threads: what the runtime's tables hold
constexpr std::size_t kMostPairs = 20'000, kMostSchedules = 256, kMostRaceRuns = 16, kLongestSchedule = 4;

bool writes(std::uint32_t kind) { return heddle_event_properties(kind) & HEDDLE_P_WRITE; }
bool reads(std::uint32_t kind) {
  return kind != HEDDLE_EV_WRITE && kind != HEDDLE_EV_WRITE_RANGE && kind != HEDDLE_EV_ATOMIC_STORE;
}

std::uint64_t gcd(std::uint64_t a, std::uint64_t b) { return b == 0 ? a : gcd(b, a % b); }

// The `time`-th in turn of what is to be tried: in each round all of them once, in an order of its own.
template <class T>
const T& in_turn(const std::vector<T>& all, std::uint64_t seed, std::uint64_t time) {
  const std::uint64_t size = all.size(), round = time / size;
  Dice dice{seed * 0x9e3779b97f4a7c15ull ^ round * 0xd1342543de82ef95ull ^ 0x7124};
  const std::uint64_t offset = dice.below(size);
  std::uint64_t step = 1 + dice.below(size);
  while (gcd(step, size) != 1) step++;
  return all[(offset + time % size * (step % size)) % size];
}

RunTargets tell_surw(const Targets& targets, std::uint64_t seed, std::uint64_t ordinal) {
  RunTargets out;
  if (targets.groups.empty()) return out;
  const Targets::Group& group = in_turn(targets.groups, seed, ordinal);
  if (group.sites.size() <= kMostTold) out.sites = group.sites;
  out.threads.assign(group.threads.begin(), group.threads.begin() + std::min(group.threads.size(), kMostTold));
  return out;
}

// Threads that wait for each other at one place may never come to where something races: a part of the runs aims at
// nothing, more of them as long as there is no race to aim at. By dice of its own, so that the others are what they
// are.
bool walks(std::uint64_t seed, std::uint64_t ordinal, bool knows_races) {
  Dice dice{seed * 0x9e3779b97f4a7c15ull ^ ordinal * 0xd1342543de82ef95ull ^ 0x3a11};
  return dice.below(knows_races ? 8 : 4) == 0;
}

RunTargets tell_racedirected(const Targets& targets, Dice& dice, std::uint64_t seed, std::uint64_t ordinal) {
  RunTargets out;
  const std::size_t races = targets.races.size(), locks = targets.locks.size();
  if (races + locks == 0 || walks(seed, ordinal, races > 0)) return out;
  const bool race = locks == 0 || (races > 0 && dice.below(4) != 0);
  const SitePair pair = in_turn(race ? targets.races : targets.locks, seed, ordinal);
  out.race = {pair.first, pair.second, 0, 0};
  return out;
}

// The schedule up to somewhere before the race, near by more often than far away; then its sites shall meet.
Aim tell_follow_up(const RaceRun& run, Dice& dice) {
  std::uint32_t bits = 1;
  while (run.step >> bits) bits++;
  const std::uint64_t back = 1 + dice.below(std::uint64_t{1} << dice.below(bits + 1));
  std::uint64_t left = run.step > back ? run.step - back : 0;
  const auto is_new = [&](std::uint32_t site) -> std::uint32_t {
    return !std::ranges::binary_search(run.points, site);
  };
  Aim out;
  out.targets.race = {run.sites.first, run.sites.second, is_new(run.sites.first), is_new(run.sites.second)};
  for (std::size_t i = 0; i < run.choices.size() && left > 0; i++) {
    const std::uint64_t steps = std::min<std::uint64_t>(left, run.choices[i].steps);
    out.schedule.push_back({run.choices[i].thread, static_cast<std::uint32_t>(steps)});
    left -= steps;
  }
  return out;
}

std::vector<HeddleReadsFrom> encode(const Targets::Abstract& schedule) {
  std::vector<HeddleReadsFrom> out;
  for (SitePair pair : schedule.wanted) out.push_back({pair.first, pair.second, 0});
  for (SitePair pair : schedule.unwanted) out.push_back({pair.first, pair.second, 1});
  return out;
}

Targets::Abstract decode(const std::vector<HeddleReadsFrom>& told) {
  Targets::Abstract out;
  for (const HeddleReadsFrom& pair : told)
    (pair.forbidden ? out.unwanted : out.wanted).emplace_back(pair.write_site, pair.read_site);
  return out;
}

void shorten(std::vector<SitePair>& pairs, Dice& dice) {
  if (!pairs.empty() && (pairs.size() >= kLongestSchedule || dice.below(3) == 0))
    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(dice.below(pairs.size())));
}

// An abstract schedule that paid, changed a little: a pair more (mostly one that was never seen), one that must not be,
// one less.
std::vector<HeddleReadsFrom> tell_rff(const Targets& targets, Dice& dice, std::uint64_t seed, std::uint64_t ordinal) {
  if (dice.below(8) == 0) return {};  // the base, POS
  Targets::Abstract schedule;
  if (!targets.corpus.empty() && dice.below(2) == 0) schedule = targets.corpus[dice.below(targets.corpus.size())];
  shorten(schedule.wanted, dice);
  shorten(schedule.unwanted, dice);
  const auto &seen = targets.seen, &unseen = targets.unseen;
  if (!unseen.empty() && (seen.empty() || (ordinal & 1) == 0))
    schedule.wanted.push_back(in_turn(unseen, seed, ordinal / 2));
  else if (!seen.empty())
    (dice.below(2) ? schedule.wanted : schedule.unwanted).push_back(in_turn(seen, seed, ordinal / 2));
  return encode(schedule);
}

}  // namespace

Aim aim_of(const Pick& pick, const Targets& targets, std::uint64_t seed) {
  Dice dice{seed * 0xd1342543de82ef95ull ^ pick.ordinal * 0x2545f4914f6cdd1dull};
  switch (pick.strategy) {
    case Strategy::kSurw:
      return {tell_surw(targets, seed, pick.ordinal), {}};
    case Strategy::kRaceDirected:
      return {tell_racedirected(targets, dice, seed, pick.ordinal), {}};
    case Strategy::kRff:
      return {{{}, {}, {}, tell_rff(targets, dice, seed, pick.ordinal)}, {}};
    case Strategy::kFollowUp:
      return targets.race_runs.empty() ? Aim{} : tell_follow_up(followed(pick, targets, seed), dice);
    default:
      return {};
  }
}

const RaceRun& followed(const Pick& pick, const Targets& targets, std::uint64_t seed) {
  return *in_turn(targets.race_runs, seed, pick.ordinal);
}

void Knowledge::learn_race_run(RaceRun run) {
  race_runs_.push_back(std::make_shared<const RaceRun>(std::move(run)));
  if (race_runs_.size() > kMostRaceRuns) race_runs_.erase(race_runs_.begin());
}

std::uint32_t Knowledge::group_of(std::uint32_t site) const {
  for (auto at = joined_.find(site); at != joined_.end() && at->second != site; at = joined_.find(site))
    site = at->second;
  return site;
}

void Knowledge::learn(const Observation& seen, const std::vector<HeddleReadsFrom>& told) {
  for (SitePair pair : seen.together) {
    const std::uint32_t a = group_of(pair.first), b = group_of(pair.second);
    joined_[std::max(a, b)] = std::min(a, b);
  }
  for (const SiteUse& use : seen.uses) {
    kinds_[use.site] = use.kind;
    std::uint32_t& most = counts_[{use.site, use.thread}];
    most = std::max(most, use.count);
  }
  parents_.insert(seen.parents.begin(), seen.parents.end());
  locks_.insert(seen.contended.begin(), seen.contended.end());
  bool new_pair = false;
  for (SitePair pair : seen.reads_from)
    if (reads_from_.size() < kMostPairs) new_pair |= reads_from_.insert(pair).second;
  if (!new_pair || told.empty() || corpus_.size() >= kMostSchedules) return;
  corpus_.push_back(decode(told));
}

Targets::Group Knowledge::group(const std::vector<std::uint32_t>& sites) const {
  Targets::Group out;
  out.sites = sites;
  std::map<std::uint32_t, std::uint64_t> totals;
  for (std::uint32_t site : sites)
    for (auto use = counts_.lower_bound({site, 0}); use != counts_.end() && use->first.first == site; ++use) {
      std::uint32_t thread = use->first.second;
      for (int depth = 0; depth < 64; depth++) {  // its ancestors, too
        totals[thread] += use->second;
        auto parent = parents_.find(thread);
        if (parent == parents_.end() || parent->second == thread) break;
        thread = parent->second;
      }
    }
  for (auto [thread, total] : totals)
    out.threads.push_back({thread, static_cast<std::uint32_t>(std::min<std::uint64_t>(total, ~0u))});
  return out;
}

void Knowledge::add_reads_from(const std::vector<std::uint32_t>& sites, Targets& out) const {
  for (std::uint32_t write : sites) {
    if (!writes(kinds_.at(write))) continue;
    for (std::uint32_t read : sites)
      if (reads(kinds_.at(read)) && !reads_from_.contains({write, read}) && out.unseen.size() < kMostPairs)
        out.unseen.emplace_back(write, read);
  }
}

std::shared_ptr<const Targets> Knowledge::targets() const {
  auto out = std::make_shared<Targets>();
  out->races.assign(races_.begin(), races_.end());
  out->locks.assign(locks_.begin(), locks_.end());
  out->seen.assign(reads_from_.begin(), reads_from_.end());
  out->corpus = corpus_;
  out->race_runs = race_runs_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_group;
  std::vector<std::uint32_t> all;
  for (const auto& [site, kind] : kinds_) {
    by_group[group_of(site)].push_back(site);
    all.push_back(site);
  }
  for (const auto& [name, sites] : by_group) {
    out->groups.push_back(group(sites));
    add_reads_from(sites, *out);
  }
  if (out->groups.size() > 1) out->groups.push_back(group(all));
  return out;
}

}  // namespace heddle
