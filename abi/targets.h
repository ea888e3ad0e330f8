// What a run of a hunt aims at (src/hunt/knowledge.h): HEDDLE_AREA_TARGETS holds a HeddleTargets and the lists that it
// counts, one behind the other, in the order of its fields. HeddleStrategy says which strategy reads which list.
#pragma once
#include <stdint.h>

struct HeddleTargets {
  uint32_t sites;       // uint32_t[sites]: static site ids
  uint32_t threads;     // HeddleThreadEvents[threads]
  uint32_t races;       // HeddleRaceTarget[races]: 0 or 1
  uint32_t reads_from;  // HeddleReadsFrom[reads_from]: first those that shall come true
};

struct HeddleThreadEvents {
  uint32_t name;    // hash of the thread's name
  uint32_t events;  // at the sites, of it and its descendants
};

struct HeddleRaceTarget {  // two sites that shall meet at one place in memory, or at one lock
  uint32_t first_site, second_site;
  uint32_t first_is_new, second_is_new;  // 1: the run whose schedule is followed had no point there
};

struct HeddleReadsFrom {
  uint32_t write_site, read_site;
  uint32_t forbidden;  // 1: the read shall not see the write
};

#ifdef __cplusplus
static inline const uint32_t* heddle_target_sites(const HeddleTargets* t) {
  return reinterpret_cast<const uint32_t*>(t + 1);
}
static inline const HeddleThreadEvents* heddle_target_threads(const HeddleTargets* t) {
  return reinterpret_cast<const HeddleThreadEvents*>(heddle_target_sites(t) + t->sites);
}
static inline const HeddleRaceTarget* heddle_target_races(const HeddleTargets* t) {
  return reinterpret_cast<const HeddleRaceTarget*>(heddle_target_threads(t) + t->threads);
}
static inline const HeddleReadsFrom* heddle_target_reads_from(const HeddleTargets* t) {
  return reinterpret_cast<const HeddleReadsFrom*>(heddle_target_races(t) + t->races);
}
#endif
