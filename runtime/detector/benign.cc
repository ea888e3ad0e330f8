// Memory whose races the program declared to be wanted (AnnotateBenignRace). A short list: it is asked only when a race
// is found.
#include "runtime/arena.h"
#include "runtime/detector/detector.h"
#include "runtime/detector/report.h"

namespace heddle::rt::detector {
namespace {

struct Range {
  uintptr_t low, high;
  Range* next;
};
Range* ranges;

}  // namespace

void benign(const volatile void* address, size_t bytes) {
  auto low = reinterpret_cast<uintptr_t>(address);
  for (Range* r = ranges; r; r = r->next)
    if (r->low == low && r->high == low + bytes) return;
  Range* made = arena_new<Range>();
  *made = {low, low + bytes, ranges};
  ranges = made;
}

bool any_benign() { return ranges != nullptr; }

bool is_benign(uintptr_t address) {
  for (Range* r = ranges; r; r = r->next)
    if (address >= r->low && address < r->high) return true;
  return false;
}

void forget_benign(uintptr_t address, size_t bytes) {
  for (Range** r = &ranges; *r;)
    if ((*r)->low >= address && (*r)->low < address + bytes)
      *r = (*r)->next;
    else
      r = &(*r)->next;
}

}  // namespace heddle::rt::detector
