#include "runtime/hooks/code_sites.h"

#include "runtime/control/recording.h"
#include "runtime/table.h"

namespace heddle::rt {

CodeSites code_sites;

namespace {

constexpr uint64_t kMostSites = 1u << 20;
Table<HeddleSite*> by_address;
Table<bool> racy;

HeddleSite* make(uint64_t pc, uint32_t kind, uint32_t size, uint32_t flags) {
  code_sites_prepare();
  if (code_sites.used == code_sites.bytes) {
    note("more than %u places of code built with -fsanitize=thread: the rest is one place", (unsigned)kMostSites);
    return code_sites.first + (kMostSites - 1);
  }
  HeddleSite& site = *(HeddleSite*)((char*)code_sites.first + code_sites.used);
  code_sites.used += sizeof site;
  site.kind = (uint8_t)kind;
  site.size = (uint8_t)size;
  site.flags = flags;
  site.id = publish_pc(pc, kind, size);
  site.state = HEDDLE_SITE_COUNTED;
  if (racy.find(site.id)) site.state |= HEDDLE_SITE_POINT;
  return &site;
}

}  // namespace

void code_sites_prepare() {
  if (code_sites.first) return;
  code_sites.bytes = kMostSites * sizeof(HeddleSite);
  code_sites.first = (HeddleSite*)map_memory(code_sites.bytes);
}

void code_sites_start() {
  if (region->run.point_set != HEDDLE_POINTS_RACY) return;
  const uint32_t* ids = area<uint32_t>(HEDDLE_AREA_POINTS);
  for (uint64_t i = 0; i < region->run.point_count; i++)
    if ((ids[i] & HEDDLE_SITE_PC) && !racy.find(ids[i])) racy.insert(ids[i], true);
}

static HeddleSite nowhere;  // of a recording

HeddleSite* no_code_site(void*, uint32_t, uint32_t, uint32_t) { return &nowhere; }

HeddleSite* known_code_site(void* return_address, uint32_t kind, uint32_t size, uint32_t flags) {
  uint64_t pc = (uint64_t)return_address, key = pc | (uint64_t)kind << 56;
  if (HeddleSite** known = by_address.find(key)) return *known;
  return by_address.insert(key, make(pc, kind, size, flags));
}

}  // namespace heddle::rt
