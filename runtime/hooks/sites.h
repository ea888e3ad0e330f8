// Static sites of the loaded modules and their ids.
#pragma once
#include "runtime/rt.h"

namespace heddle::rt {

struct SiteRange {
  const HeddleSite* first;
  uint64_t bytes;
  uint32_t first_id;
};
extern SiteRange last_asked;  // the module of the last site_id(): mostly the same again
uint32_t find_site_id(const HeddleSite* site);

/// 1-based, in order of module registration; 0 for an unknown descriptor.
inline uint32_t site_id(const HeddleSite* site) {
  uint64_t offset = (uint64_t)site - (uint64_t)last_asked.first;
  return HEDDLE_LIKELY(offset < last_asked.bytes) ? last_asked.first_id + (uint32_t)(offset / sizeof(HeddleSite))
                                                  : find_site_id(site);
}
/// site_id() is known without a search.
inline bool site_is_near(const HeddleSite* site) {
  return HEDDLE_LIKELY((uint64_t)site - (uint64_t)last_asked.first < last_asked.bytes);
}
/// The module that registers next has record clones (abi/record_hooks.h); one whose constructor is of an older pass
/// does not say so.
void module_has_records();
void sites_prepare();  // fork server: what every run would ask the kernel again
/// Modules that registered before control started become active now.
void sites_start();

}  // namespace heddle::rt
