#include "runtime/parallel/companions.h"

#include "runtime/table.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kSections = 1u << 10;
constexpr uint8_t kEnough = 3, kMost = 12;
constexpr uint32_t kCheck = 32;  // every so many guesses there is none: what is still needed is asked for and seen

struct Companion {
  uint32_t stripe;
  uint8_t count;
};
struct Section {
  uint64_t key;
  uint32_t guesses;
  Companion companions[kMostCompanions];
};
Section* sections;

Section& section_of(const Thread& t) {
  const uint64_t key = mix_bits((uint64_t)t.op.site << 32 | t.op.object);
  Section& s = sections[key & (kSections - 1)];
  if (s.key != key) s = {.key = key, .guesses = 0, .companions = {}};
  return s;
}

}  // namespace

void companions_start() { sections = static_cast<Section*>(map_memory(kSections * sizeof(Section))); }

void learn_companion(Thread& t, uint32_t stripe) {
  Companion* least = nullptr;
  for (Companion& c : section_of(t).companions) {
    if (c.stripe == stripe && c.count) {
      c.count += c.count < kMost;
      return;
    }
    if (!least || c.count < least->count) least = &c;
  }
  if (least->count > 1)
    least->count--;
  else
    *least = {stripe, 1};
}

uint32_t guess_companions(Thread& t, uint32_t (&stripes)[kMostCompanions]) {
  if (t.guessed_section == t.sections) return 0;
  t.guessed_section = t.sections;
  Section& s = section_of(t);
  const bool check = ++s.guesses % kCheck == 0;
  uint32_t n = 0;
  for (Companion& c : s.companions) {
    if (check) c.count -= c.count > 0;
    if (!check && c.count >= kEnough) stripes[n++] = c.stripe;
  }
  return n;
}

}  // namespace heddle::rt
