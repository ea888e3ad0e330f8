#include "runtime/detector/report.h"

#include "runtime/control/scheduler.h"
#include "runtime/detector/detector.h"
#include "runtime/detector/pool.h"
#include "runtime/hooks/sites.h"

namespace heddle::rt::detector {

void (*on_race)(const HeddleRace& race);

namespace {

/// A set of numbers other than 0, which only grows.
struct NumberSet {
  uint64_t* slots;
  uint32_t capacity, count;
  size_t bytes;

  uint64_t& slot(uint64_t key) {
    uint32_t i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15ull) >> 32) & (capacity - 1);
    while (slots[i] && slots[i] != key) i = (i + 1) & (capacity - 1);
    return slots[i];
  }
  bool contains(uint64_t key) { return slots && slot(key); }
  /// False if it was there.
  bool insert(uint64_t key) {
    if (capacity < (count + 1) * 2) grow();
    uint64_t& s = slot(key);
    if (s) return false;
    s = key;
    count++;
    return true;
  }
  void grow() {
    NumberSet old = *this;
    capacity = capacity ? capacity * 2 : 64;
    bytes = capacity * sizeof(uint64_t);
    slots = static_cast<uint64_t*>(pool_allocate(bytes));
    __builtin_memset(slots, 0, capacity * sizeof(uint64_t));
    for (uint32_t i = 0; i < old.capacity; i++) {
      if (old.slots[i]) slot(old.slots[i]) = old.slots[i];
    }
    pool_release(old.slots, old.bytes);
  }
};

NumberSet reported, frees;
SiteRef last_free;

uint64_t pair_key(SiteRef a, SiteRef b) {
  uint64_t key = a < b ? uint64_t{a} << 32 | b : uint64_t{b} << 32 | a;
  return key ? key : ~uint64_t{0};
}

uint32_t public_site(SiteRef r) {
  if (const HeddleSite* s = static_site(r)) return site_id(s);
  return r;  // a code address, or 0
}

uint32_t kind_of(SiteRef r, uint32_t otherwise) {
  if (const HeddleSite* s = static_site(r)) return s->kind;
  return r && frees.contains(r) ? uint32_t{HEDDLE_EV_FREE} : otherwise;
}

}  // namespace

uint32_t Doing::get_stack() {
  if (!stack && keep_stacks) stack = capture_stack(frame, caller);
  return stack;
}

void remember_free(SiteRef site) {
  if (site == last_free || site == kNoSite) return;
  frees.insert(site);
  last_free = site;
}

void report(const Granule& g, const Access& first, uint32_t first_kind, Doing& second) {
  HeddleResult& result = region->result;
  constexpr uint64_t kNeverMapped =
      65536;  // accesses that fault: they did not take place, whatever the program does about it
  if (g.address < kNeverMapped || is_benign(g.address)) return;
  if (result.overflow >> HEDDLE_AREA_RACES & 1 || !reported.insert(pair_key(first.site, second.site))) return;
  if (result.race_count >= area_capacity<HeddleRace>(HEDDLE_AREA_RACES)) {
    result.overflow |= 1u << HEDDLE_AREA_RACES;
    return;
  }
  HeddleRace& race = area<HeddleRace>(HEDDLE_AREA_RACES)[result.race_count];
  race = HeddleRace{};
  race.address = second.size ? second.address : g.address;
  race.size = second.size ? second.size : g.size < 4 ? g.size : 4;  // a page says that its first word raced
  race.first_site = public_site(first.site);
  race.second_site = public_site(second.site);
  race.first_thread = thread_of(first.epoch);
  race.second_thread = second.t.index;
  race.first_kind = kind_of(first.site, first_kind);
  race.second_kind = kind_of(second.site, second.kind);
  race.first_stack = first.stack;
  race.second_stack = second.stack ? second.stack : capture_stack(second.frame, second.caller);
  race.step = result.steps;
  result.race_count++;
  if (on_race) on_race(race);
}

}  // namespace heddle::rt::detector
