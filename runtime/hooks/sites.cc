#include "runtime/hooks/sites.h"

#include <link.h>
#include <sys/syscall.h>

#include "abi/hooks.h"
#include "abi/light.h"
#include "abi/record_hooks.h"
#include "runtime/arena.h"
#include "runtime/hooks/code_sites.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kMaxModules = 256;
struct Module {
  uint32_t* active;
  HeddleSite* first;
  HeddleSite* last;
  uint32_t first_id;
  HeddleModuleInfo* info;
  HeddleLight* first_light;
  HeddleLight* last_light;
  bool records;  // it has record clones that can be used
  HeddleSite* first_record;
  HeddleSite* last_record;
  uint32_t first_record_id;
};
Module* modules;  // [kMaxModules]
char executable[sizeof(HeddleModuleInfo::path)];
uint32_t module_count;
uint32_t next_id = 1, next_record_id = HEDDLE_SITE_RECORD;
struct {
  HeddleLight *first, *last;
} announced_lights;  // of the module that registers next
bool announced_records;  // of the module that registers next
struct {
  HeddleSite *first, *last;
} announced_record_sites;  // of the module that registers next

struct Found {
  uint64_t address, base;
  const char* path;
};

int match_module(dl_phdr_info* info, size_t, void* data) {
  Found& f = *(Found*)data;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    uint64_t low = info->dlpi_addr + p.p_vaddr;
    if (p.p_type != PT_LOAD || f.address < low || f.address >= low + p.p_memsz) continue;
    f.base = info->dlpi_addr;
    f.path = info->dlpi_name;
    return 1;
  }
  return 0;
}

// Asks the dynamic linker: slow, so it is done before the fork where that is possible.
void describe(Module& m) {
  HeddleModuleInfo& info = *(m.info = static_cast<HeddleModuleInfo*>(arena_allocate_cold(sizeof(HeddleModuleInfo))));
  Found f{(uint64_t)m.active, 0, ""};
  dl_iterate_phdr(match_module, &f);
  info.base = f.base;
  info.sites = (uint64_t)m.first;
  info.first_site = m.first_id;
  info.site_count = (uint32_t)(m.last - m.first);
  for (size_t i = 0; i + 1 < sizeof info.path && f.path[i]; i++) info.path[i] = f.path[i];
  if (!info.path[0]) __builtin_memcpy(info.path, executable, sizeof info.path);
}

// The racy sites of this run become scheduling points.
void mark_points(const Module& m) {
  if (region->run.point_set != HEDDLE_POINTS_RACY) return;
  const uint32_t* ids = area<uint32_t>(HEDDLE_AREA_POINTS);
  uint64_t count = region->run.point_count;
  for (uint64_t i = 0; i < count; i++)
    if (ids[i] >= m.first_id && ids[i] < m.first_id + (uint64_t)(m.last - m.first))
      m.first[ids[i] - m.first_id].state |= HEDDLE_SITE_POINT;
    else if (ids[i] >= m.first_record_id && ids[i] < m.first_record_id + (uint64_t)(m.last_record - m.first_record))
      m.first_record[ids[i] - m.first_record_id].state |= HEDDLE_SITE_POINT;
}

// A point that a light clone has no hook for.
bool needs_hooked_clone(const HeddleSite& site) {
  const bool plain = site.kind == HEDDLE_EV_READ || site.kind == HEDDLE_EV_WRITE || site.kind == HEDDLE_EV_READ_RANGE ||
                     site.kind == HEDDLE_EV_WRITE_RANGE;
  return plain && (site.state & HEDDLE_SITE_POINT) && !(site.flags & HEDDLE_SITE_VOLATILE);
}

bool has_points(const Module& m, const HeddleLight& light) {
  const auto* ranges = (const HeddleLightRange*)((const char*)&light.ranges + light.ranges);
  const uint32_t* ids = area<uint32_t>(HEDDLE_AREA_POINTS);
  for (uint32_t i = 0; i < light.range_count; i++) {
    const auto* first = (const HeddleSite*)((const char*)&ranges[i].first + ranges[i].first);
    const uint32_t from = m.first_id + (uint32_t)(first - m.first);
    uint64_t low = 0, high = region->run.point_count;  // ascending
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      ids[middle] < from ? (void)(low = middle + 1) : (void)(high = middle);
    }
    for (; low < region->run.point_count && ids[low] < from + ranges[i].count; low++)
      if (needs_hooked_clone(first[ids[low] - from])) return true;
  }
  return false;
}

// What light clones have no hooks for.
constexpr uint32_t kNeedsAllHooks = HEDDLE_DETAIL_ACCESSES | HEDDLE_DETAIL_BRANCHES | HEDDLE_DETAIL_CALLS;

void switch_lights(const Module& m) {
  const HeddleRun& run = region->run;
  const bool wanted = run.light && !run.detector && !run.fail_on_race && !run.debugger &&
                      run.point_set != HEDDLE_POINTS_ALL && !(run.detail & kNeedsAllHooks);
  if (!wanted) return;
  for (HeddleLight* light = m.first_light; light < m.last_light; light++)
    light->on = run.point_set != HEDDLE_POINTS_RACY || !has_points(m, *light);
}

void activate(Module& m) {
  // Nobody counts branches that close no loop: they are hooks for whoever reads a trace.
  // They also tell the value of a write before the next one changes it.
  *m.active = HEDDLE_ACTIVE;
  if (region->run.detail & (HEDDLE_DETAIL_BRANCHES | HEDDLE_DETAIL_ACCESSES)) *m.active |= HEDDLE_ACTIVE_BRANCHES;
  if (region->run.detail & HEDDLE_DETAIL_CALLS) *m.active |= HEDDLE_ACTIVE_CALLS;
  if (m.records) *m.active |= discipline.record_clones;
  HeddleResult& r = region->result;
  if (r.module_count < area_capacity<HeddleModuleInfo>(HEDDLE_AREA_MODULES))
    area<HeddleModuleInfo>(HEDDLE_AREA_MODULES)[r.module_count++] = *m.info;
  mark_points(m);
  switch_lights(m);
}

}  // namespace

void sites_prepare() {
  modules = static_cast<Module*>(arena_allocate_cold(sizeof(Module) * kMaxModules));
  raw_syscall(SYS_readlink, "/proc/self/exe", executable, sizeof executable - 1);
}

SiteRange last_asked;

uint32_t find_site_id(const HeddleSite* site) {
  if (is_code_site(site)) return site->id;
  for (uint32_t i = 0; i < module_count; i++) {
    const Module& m = modules[i];
    if (site >= m.first_record && site < m.last_record) {
      last_asked = {m.first_record, (uint64_t)((char*)m.last_record - (char*)m.first_record), m.first_record_id};
      return m.first_record_id + (uint32_t)(site - m.first_record);
    }
    if (site < m.first || site >= m.last) continue;
    last_asked = {m.first, (uint64_t)((char*)m.last - (char*)m.first), m.first_id};
    return m.first_id + (uint32_t)(site - m.first);
  }
  return 0;
}

void module_has_records() { announced_records = true; }

void sites_start() {
  for (uint32_t i = 0; i < module_count; i++) activate(modules[i]);
  code_sites_start();
}

}  // namespace heddle::rt

using namespace heddle::rt;

HEDDLE_EXPORT void __heddle_register_lights(HeddleLight* first, HeddleLight* last) { announced_lights = {first, last}; }

HEDDLE_EXPORT void __heddle_register_record_sites(HeddleSite* first, HeddleSite* last) {
  announced_record_sites = {first, last};
}

HEDDLE_EXPORT void __heddle_register_module(uint32_t* active, HeddleSite* first, HeddleSite* last) {
  if (mode == Mode::kIdle && !region) return;
  if (module_count == kMaxModules) {
    note("more than %u instrumented modules: the rest runs uninstrumented", kMaxModules);
    return;
  }
  Module& m = modules[module_count++];
  m = {active, first, last, next_id, nullptr, announced_lights.first, announced_lights.last, announced_records,
       announced_record_sites.first, announced_record_sites.last, next_record_id};
  next_record_id += (uint32_t)(announced_record_sites.last - announced_record_sites.first);
  announced_record_sites = {};
  announced_lights = {};
  announced_records = false;
  next_id += (uint32_t)(last - first);
  describe(m);
  if (mode == Mode::kControlled) return activate(m);
  begin_run();  // back from it in the child, if at all: sites_start() has seen this module
  *active |= HEDDLE_ACTIVE;  // hooks return at once until control starts (fork at a mark)
}
