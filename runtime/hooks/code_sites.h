// Sites of code without a site table (built with -fsanitize=thread): made at their first access, known by the code
// address behind the call of the hook. One descriptor per address and kind; ids are HEDDLE_SITE_PC | hash, the same in
// every run.
#pragma once
#include "runtime/control/discipline.h"

namespace heddle::rt {

void code_sites_prepare();  // fork server: such code is there
void code_sites_start();    // with the racy sites of this run

/// Null only while there is nothing to be made a site of (no run, or no memory for more).
inline HeddleSite* code_site(void* return_address, uint32_t kind, uint32_t size, uint32_t flags = 0) {
  return discipline.code_site(return_address, kind, size, flags);
}
HeddleSite* known_code_site(void* return_address, uint32_t kind, uint32_t size, uint32_t flags);
/// In a recording: nobody asks where, and the table belongs to the holder.
HeddleSite* no_code_site(void* return_address, uint32_t kind, uint32_t size, uint32_t flags);

struct CodeSites {
  HeddleSite* first;
  uint64_t bytes, used;  // of the mapping; of the sites in it
};
extern CodeSites code_sites;
inline bool is_code_site(const HeddleSite* site) {
  return (uint64_t)site - (uint64_t)code_sites.first < code_sites.used;
}

}  // namespace heddle::rt
