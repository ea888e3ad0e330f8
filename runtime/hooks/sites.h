// Static sites of the loaded modules and their ids.
#pragma once
#include "runtime/rt.h"

namespace heddle::rt {

/// 1-based, in order of module registration; 0 for an unknown descriptor.
uint32_t site_id(const HeddleSite* site);
void sites_prepare();  // fork server: what every run would ask the kernel again
/// Modules that registered before control started become active now.
void sites_start();

}  // namespace heddle::rt
