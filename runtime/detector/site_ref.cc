#include "runtime/detector/site_ref.h"

namespace heddle::rt::detector {

uintptr_t site_windows[kSiteWindows] = {~uintptr_t{0}};
uint32_t last_window;

namespace {
uint32_t window_count = 1;
}

uint32_t find_window(uintptr_t key) {
  uint32_t w = 1;
  while (w < window_count && site_windows[w] != key) w++;
  if (w == kSiteWindows) return 0;
  if (w == window_count) site_windows[window_count++] = key;
  return last_window = w;
}

}  // namespace heddle::rt::detector
