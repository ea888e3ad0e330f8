#include "src/hunt/observation.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kMostVisits = 64;  // distinct at one place: more of them say nothing new

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ (b * 0x9e3779b97f4a7c15ull)) + 0x7f4a7c15;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  return h ^ (h >> 29);
}

bool is_lock(std::uint32_t kind) {
  switch (kind) {
    case HEDDLE_EV_MUTEX_LOCK:
    case HEDDLE_EV_MUTEX_TRYLOCK:
    case HEDDLE_EV_RW_RDLOCK:
    case HEDDLE_EV_RW_WRLOCK:
    case HEDDLE_EV_RW_TRYLOCK:
    case HEDDLE_EV_SPIN_LOCK:
    case HEDDLE_EV_SPIN_TRYLOCK:
    case HEDDLE_EV_SEM_WAIT:
    case HEDDLE_EV_COND_WAIT:
    case HEDDLE_EV_COND_SIGNAL:
    case HEDDLE_EV_COND_BROADCAST:
    case HEDDLE_EV_ATOMIC_CAS:
    case HEDDLE_EV_ATOMIC_RMW:
    case HEDDLE_EV_ATOMIC_STORE:
      return true;
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

std::uint32_t event_properties(std::uint32_t kind) {
  static constexpr std::uint8_t kProperties[] = {
#define HEDDLE_X(name, text, properties) properties,
      HEDDLE_EVENT_KINDS(HEDDLE_X)
#undef HEDDLE_X
  };
  return kind < HEDDLE_EV_COUNT ? kProperties[kind] : 0;
}

std::uint64_t place_of(const HeddleEvent& event) {
  if (event.kind == HEDDLE_EV_THREAD_START || event.kind == HEDDLE_EV_THREAD_JOIN) return 0;
  if (event.object) return 1ull << 63 | event.object;
  return event.address >> 3;
}

void Observer::visit(const HeddleEvent& event, Place& place) {
  std::uint32_t& count = counts_[static_cast<std::uint64_t>(event.site) << 32 | event.stack];
  count++;
  const bool known = std::ranges::any_of(
      place.visits, [&](const Visit& v) { return v.site == event.site && v.thread == event.stack; });
  if (!known && place.visits.size() < kMostVisits) place.visits.push_back({event.site, event.stack, event.kind});
}

void Observer::access(const HeddleEvent& event, Place& place) {
  const std::uint32_t properties = event_properties(event.kind);
  const bool writes = properties & HEDDLE_P_WRITE;
  // Synchronisation and read-modify-write see what was before them; a plain store does not.
  const bool reads = !writes || (event.kind != HEDDLE_EV_WRITE && event.kind != HEDDLE_EV_WRITE_RANGE &&
                                 event.kind != HEDDLE_EV_ATOMIC_STORE);
  if (reads && place.writer) now_.reads_from.emplace_back(place.writer, event.site);
  std::uint64_t& last = last_[event.stack];
  last = mix(mix(last, (static_cast<std::uint64_t>(event.site) << 8) ^ event.kind ^ event.stack),
             writes ? mix(place.written, place.reads) : place.written);
  now_.order += last;
  if (writes) {
    place.writer = event.site;
    place.written = last;
    place.reads = 0;
  } else {
    place.reads += last;
  }
}

void Observer::on_events(std::span<const HeddleEvent> events) {
  Place nowhere;
  for (const HeddleEvent& event : events) {
    if (keep_) now_.decisions.push_back(event);
    if (event.kind == HEDDLE_EV_THREAD_START) now_.parents.emplace_back(event.stack, event.address);
    const std::uint64_t at = place_of(event);
    Place& place = at ? places_[at] : nowhere;
    access(event, place);
    if (at && event.site) visit(event, place);
    if (!at) nowhere = {};
  }
  if (now_.reads_from.size() > 4096) make_distinct(now_.reads_from);
}

void Observer::contend(const Place& place, Observation& out) const {
  for (std::size_t i = 0; i < place.visits.size(); i++)
    for (std::size_t j = 0; j < i; j++) {
      const Visit &a = place.visits[i], &b = place.visits[j];
      if (a.thread != b.thread && is_lock(a.kind) && is_lock(b.kind))
        out.contended.emplace_back(std::min(a.site, b.site), std::max(a.site, b.site));
    }
}

Observation Observer::finish() {
  Observation out = std::move(now_);
  for (const auto& [at, place] : places_) {
    const bool common =
        std::ranges::any_of(place.visits, [&](const Visit& v) { return v.thread != place.visits.front().thread; });
    if (!common) continue;
    for (const Visit& v : place.visits) {
      out.uses.push_back({v.site, v.thread, counts_[static_cast<std::uint64_t>(v.site) << 32 | v.thread], v.kind});
      out.together.emplace_back(place.visits.front().site, v.site);
    }
    contend(place, out);
  }
  std::ranges::sort(out.uses, {}, [](const SiteUse& u) { return std::tuple(u.site, u.thread, u.kind); });
  out.uses.erase(std::unique(out.uses.begin(), out.uses.end()), out.uses.end());
  make_distinct(out.reads_from);
  for (SitePair pair : out.reads_from)
    out.shape = mix(out.shape, static_cast<std::uint64_t>(pair.first) << 32 | pair.second);
  make_distinct(out.together);
  make_distinct(out.contended);
  make_distinct(out.parents);
  places_.clear();
  counts_.clear();
  last_.clear();
  now_ = {};
  return out;
}

}  // namespace heddle
