#include "src/hunt/observation.h"

#include <algorithm>

#include "src/order/operation.h"
#include "src/trace/kinds.h"

namespace heddle {
namespace {

constexpr std::size_t kMostVisits = 64;  // distinct at one place: more of them say nothing new

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ (b * 0x9e3779b97f4a7c15ull)) + 0x7f4a7c15;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  return h ^ (h >> 29);
}

// What other threads, or other processes, can notice: which calls these are about is not known here, so that all of
// them happen at one place.
bool is_outside(std::uint32_t kind) {
  const HeddleEventClass c = heddle_event_class(kind);
  return c == HEDDLE_C_CALL || c == HEDDLE_C_LEAVE || c == HEDDLE_C_RETURN;
}

// Which of two threads does it first at an object may decide who has to wait, or whose change survives.
bool contends(std::uint32_t kind) {
  const HeddleEventClass c = heddle_event_class(kind);
  if (acquires(c)) return true;
  if (c == HEDDLE_C_ATOMIC) return heddle_event_properties(kind) & HEDDLE_P_WRITE;
  switch (heddle_object_class(kind)) {
    case HEDDLE_O_CONDITION:
      return c == HEDDLE_C_WAIT || c == HEDDLE_C_SIGNAL;
    case HEDDLE_O_SEMAPHORE:
      return c == HEDDLE_C_AWAIT;
    default:
      return false;
  }
}

template <class T>
void make_distinct(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<HeddleDecision> pending_of(std::span<const HeddleThreadInfo> threads) {
  std::vector<HeddleDecision> out;
  for (std::size_t i = 0; i < threads.size(); i++) {
    if (threads[i].state != HEDDLE_T_PENDING) continue;
    HeddleDecision event{};
    event.thread = static_cast<std::uint16_t>(i);
    event.kind = static_cast<std::uint8_t>(threads[i].pending_kind);
    event.address = event.kind == HEDDLE_EV_THREAD_START ? 0 : threads[i].pending_address;
    event.object = threads[i].pending_object;
    if (heddle_event_properties(event.kind) & HEDDLE_P_ACCESS)
      event.size = event.kind == HEDDLE_EV_READ_RANGE || event.kind == HEDDLE_EV_WRITE_RANGE ? ~0u : 16;
    if (threads[i].deadline_ns) event.flags |= HEDDLE_DECISION_TIMED;
    out.push_back(event);
  }
  return out;
}

namespace {

// `f`(step, the thread's next one)
template <class F>
void each_giving_way(std::span<const HeddleDecision> decisions, std::span<const HeddleDecision> pending, F f) {
  std::unordered_map<std::uint32_t, HeddleDecision> next;  // by thread
  for (const HeddleDecision& event : pending) next[event.thread] = event;
  for (std::size_t i = decisions.size(); i-- > 0;) {
    const HeddleDecision& event = decisions[i];
    const bool gave_way = i + 1 < decisions.size() && decisions[i + 1].flags & HEDDLE_DECISION_GAVE_WAY &&
                          !(event.thread < 64 && decisions[i + 1].enabled >> event.thread & 1);
    if (gave_way) f(i, next[event.thread]);
    next[event.thread] = event;
  }
}

}  // namespace

std::vector<std::size_t> made_to_give_way(std::span<const HeddleDecision> decisions,
                                          std::span<const HeddleDecision> pending) {
  std::vector<std::size_t> out;
  each_giving_way(decisions, pending, [&](std::size_t step, const HeddleDecision& next) {
    if (next.kind != HEDDLE_EV_SLEEP) out.push_back(step);
  });
  return out;
}

bool yields_or_spins(std::span<const HeddleDecision> decisions, std::span<const HeddleDecision> pending) {
  bool any = false;
  each_giving_way(decisions, pending, [&](std::size_t, const HeddleDecision& next) {
    const bool waits =
        next.kind == HEDDLE_EV_SLEEP || next.kind == HEDDLE_EV_IO_RETURN || next.kind == HEDDLE_EV_SUSPEND;
    any |= !waits && !(next.flags & HEDDLE_DECISION_TIMED);
  });
  return any;
}

void Observer::visit(const HeddleDecision& event) {
  counts_[static_cast<std::uint64_t>(event.site) << 32 | event.name]++;
  for (Place* place : here_) {
    const bool known = std::ranges::any_of(
        place->visits, [&](const Visit& v) { return v.site == event.site && v.thread == event.name; });
    if (!known && place->visits.size() < kMostVisits) place->visits.push_back({event.site, event.name, event.kind});
  }
}

void Observer::find_places(const HeddleDecision& event) {
  here_.clear();
  const HeddlePlace place = place_of(event);
  auto of = [&](std::uint32_t space, std::uint64_t number) {
    here_.push_back(&objects_[static_cast<std::uint64_t>(space) << 32 | number]);
  };
  if (place.space == HEDDLE_SPACE_MEMORY)
    memory_.each(place.first, place.last,
                 [&](std::uint64_t, std::uint64_t, Place& bytes) { here_.push_back(&bytes); });
  else if (place.space != HEDDLE_SPACE_NONE)
    of(place.space, place.first);
  if (event.kind == HEDDLE_EV_THREAD_EXIT && event.object) of(HEDDLE_SPACE_OBJECT, event.object);
}

void Observer::access(const HeddleDecision& event) {
  const bool writes = heddle_event_properties(event.kind) & HEDDLE_P_WRITE;
  // Synchronisation and read-modify-write see what was before them; a plain store does not.
  const bool reads =
      !writes || (heddle_event_class(event.kind) != HEDDLE_C_WRITE && event.kind != HEDDLE_EV_ATOMIC_STORE);
  before_.clear();
  for (const Place* place : here_) {
    if (reads && place->writer) now_.reads_from.emplace_back(place->writer, event.site);
    before_.push_back(writes ? mix(place->written, place->reads) : place->written);
  }
  make_distinct(before_);
  if (is_outside(event.kind)) before_.push_back(outside_);
  std::uint64_t& last = last_[event.name];
  last = mix(last, (static_cast<std::uint64_t>(event.site) << 8) ^ event.kind ^ event.name);
  for (std::uint64_t one : before_) last = mix(last, one);
  now_.order += last;
  if (is_outside(event.kind)) outside_ = last;
  for (Place* place : here_) {
    if (!writes) {
      place->reads += last;
      continue;
    }
    place->writer = event.site;
    place->written = last;
    place->reads = 0;
  }
}

void Observer::on_decisions(std::span<const HeddleDecision> decisions) {
  for (const HeddleDecision& event : decisions) {
    if (keep_) now_.decisions.push_back(event);
    if (event.kind == HEDDLE_EV_THREAD_START)
      now_.parents.emplace_back(event.name, static_cast<std::uint32_t>(event.creator));
    find_places(event);
    access(event);
    if (!here_.empty() && event.site) visit(event);
  }
  if (now_.reads_from.size() > 4096) make_distinct(now_.reads_from);
}

template <class F>
void Observer::each_place(F f) const {
  for (const auto& [at, place] : objects_) f(place);
  memory_.all(f);
}

void Observer::contend(const Place& place, Observation& out) const {
  for (std::size_t i = 0; i < place.visits.size(); i++)
    for (std::size_t j = 0; j < i; j++) {
      const Visit &a = place.visits[i], &b = place.visits[j];
      if (a.thread != b.thread && contends(a.kind) && contends(b.kind))
        out.contended.emplace_back(std::min(a.site, b.site), std::max(a.site, b.site));
    }
}

Observation Observer::finish() {
  Observation out = std::move(now_);
  each_place([&](const Place& place) {
    const bool common =
        std::ranges::any_of(place.visits, [&](const Visit& v) { return v.thread != place.visits.front().thread; });
    if (!common) return;
    for (const Visit& v : place.visits) {
      out.uses.push_back({v.site, v.thread, counts_[static_cast<std::uint64_t>(v.site) << 32 | v.thread], v.kind});
      out.together.emplace_back(place.visits.front().site, v.site);
    }
    contend(place, out);
  });
  std::ranges::sort(out.uses, {}, [](const SiteUse& u) { return std::tuple(u.site, u.thread, u.kind); });
  out.uses.erase(std::unique(out.uses.begin(), out.uses.end()), out.uses.end());
  make_distinct(out.reads_from);
  for (SitePair pair : out.reads_from)
    out.shape = mix(out.shape, static_cast<std::uint64_t>(pair.first) << 32 | pair.second);
  make_distinct(out.together);
  make_distinct(out.contended);
  make_distinct(out.parents);
  objects_.clear();
  memory_.clear();
  counts_.clear();
  last_.clear();
  outside_ = 0;
  now_ = {};
  return out;
}

}  // namespace heddle
