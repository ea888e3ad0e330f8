// SURW (Zhao et al.: Selectively Uniform Concurrency Testing, ASPLOS 2025): of a chosen set of operations every order
// is about equally likely. Whose operation of the set comes next is drawn with weights, the numbers of such operations
// each thread still has to do (with those of threads that it has yet to create); until it has come, other threads stop
// before theirs. Everything else is a random walk. Deviations: a set is one group of sites that touched common memory,
// another one in each run, or all sites (the paper: variables); the numbers come from earlier runs of the hunt; if the
// drawn thread cannot get there, another one is drawn.
#include "runtime/control/strategy.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kSlots = 4096, kNobody = ~0u;
Random rng;
HeddleSegment sites[kSlots], estimates[kSlots];  // open addressing by site, by thread name; `thread` 0: free
uint32_t intended;
bool all_sites;

uint64_t slot_of(const HeddleSegment* table, uint32_t key) {
  uint64_t at = key * 0x9e3779b1u >> 20;
  while (table[at].thread && table[at].thread != key) at = (at + 1) % kSlots;
  return at;
}

void insert(HeddleSegment* table, const HeddleSegment& entry, uint32_t& count) {
  if (count++ < kSlots / 2 && entry.thread) table[slot_of(table, entry.thread)] = entry;
}

uint32_t estimate(uint32_t name) { return estimates[slot_of(estimates, name)].steps; }

void start(const HeddleRun& run) {
  rng.s = run_seed(run);
  intended = kNobody;
  const HeddleSegment* told = area<HeddleSegment>(HEDDLE_AREA_SCHEDULE);
  uint64_t site_count = run.schedule_count ? told[0].thread : 0;
  if (site_count >= run.schedule_count) site_count = 0;
  all_sites = site_count == 0;
  uint32_t inserted = 0, named = 0;
  for (uint64_t i = 1; i < run.schedule_count; i++)
    i <= site_count ? insert(sites, {told[i].thread, 1}, inserted) : insert(estimates, told[i], named);
}

void thread_created(uint32_t index) {
  Thread& t = thread(index);
  t.strategy.remaining = estimate(t.name);
  Thread& parent = thread(t.info->parent);
  if (index)
    parent.strategy.remaining -=
        t.strategy.remaining < parent.strategy.remaining ? t.strategy.remaining : parent.strategy.remaining;
  if (intended == t.info->parent) intended = kNobody;  // it was drawn for both of them
}

bool chosen_site(const Thread& t) { return all_sites || (t.op.site && sites[slot_of(sites, t.op.site)].thread); }
uint64_t weight(const Thread& t) { return t.strategy.remaining ? t.strategy.remaining : 1; }

// Weighted over the enabled threads that are at the set.
uint32_t draw_present(const View& v, uint32_t but) {
  uint64_t total = 0;
  uint32_t drawn = v.count;
  for (uint32_t i = 0; i < v.count; i++) {
    const Thread& t = thread(v.enabled[i]);
    if (!chosen_site(t) || t.index == but) continue;
    total += weight(t);
    if (rng.next() % total < weight(t)) drawn = i;
  }
  return drawn;
}

void draw_intended() {
  uint64_t total = 0;
  intended = kNobody;
  for (uint32_t i = 0; i < thread_count(); i++) {
    const Thread& t = thread(i);
    if (t.finished || t.strategy.remaining == 0) continue;
    total += t.strategy.remaining;
    if (rng.next() % total < t.strategy.remaining) intended = i;
  }
}

// A random one of those that are not stopped before an operation of the set; v.count: there is none.
uint32_t pick_free(const View& v, uint32_t but) {
  uint32_t chosen = v.count, n = 0;
  for (uint32_t i = 0; i < v.count; i++) {
    const Thread& t = thread(v.enabled[i]);
    if (t.index == but || (t.index != intended && chosen_site(t))) continue;
    if (rng.below(++n) == 0) chosen = i;
  }
  return chosen;
}

uint32_t choose(View& v) {
  const uint32_t but = v.yielding && v.count > 1 ? v.current : kNobody;
  if (intended == kNobody) draw_intended();
  uint32_t i = pick_free(v, but);
  if (i == v.count ||
      (v.yielding && rng.below(4) == 0)) {  // who is awaited cannot come, or who spins may wait for who is stopped
    uint32_t present = draw_present(v, but);
    if (present < v.count) i = present;
  }
  if (i == v.count) i = v.enabled[0] == but ? 1 : 0;
  Thread& t = thread(v.enabled[i]);
  if (chosen_site(t)) {
    if (t.strategy.remaining) t.strategy.remaining--;
    intended = kNobody;
  }
  return i;
}

}  // namespace

const Strategy surw_strategy{start, thread_created, choose};

}  // namespace heddle::rt
