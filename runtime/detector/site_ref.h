// Where an access came from, in 4 bytes: what a shadow slot remembers.
//
//   bit 31 set: an interned code address as the caller gave it (HEDDLE_SITE_PC | hash)
//   else:       window (5 bits) | bits 5..30 of the HeddleSite's address (26 bits); 0: unknown
//
// A window is one combination of all other address bits; descriptors of one module lie 32 bytes apart in one section,
// so a module needs one window, seldom two. Making a reference touches no memory of the site and no table but the
// windows.
#pragma once
#include "runtime/detector/epoch.h"

namespace heddle::rt::detector {

using SiteRef = uint32_t;
constexpr SiteRef kNoSite = 0;
constexpr uintptr_t kSiteBits = uintptr_t{0x3ffffff} << 5;
constexpr uint32_t kSiteWindows = 32;

extern HEDDLE_HIDDEN uintptr_t site_windows[kSiteWindows];  // [0] stays unused: a reference is never 0
extern HEDDLE_HIDDEN uint32_t last_window;

uint32_t find_window(uintptr_t key);  // 0: no window left

inline SiteRef site_ref(const HeddleSite* site) {
  if (!site) return kNoSite;
  uintptr_t p = reinterpret_cast<uintptr_t>(site), key = p & ~kSiteBits;
  uint32_t w = HEDDLE_LIKELY(site_windows[last_window] == key) ? last_window : find_window(key);
  return w ? w << 26 | static_cast<uint32_t>((p & kSiteBits) >> 5) : kNoSite;
}

/// Null for code addresses and unknown sites.
inline const HeddleSite* static_site(SiteRef r) {
  if (r & HEDDLE_SITE_PC || r == kNoSite) return nullptr;
  return reinterpret_cast<const HeddleSite*>(site_windows[r >> 26] | uintptr_t{r & 0x3ffffff} << 5);
}

}  // namespace heddle::rt::detector
