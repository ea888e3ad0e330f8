#include "runtime/environment.h"

#include "runtime/rt.h"

namespace heddle::rt {

void note_environment_given_away() {
  if (region) __atomic_store_n(&region->environment_whole, 1, __ATOMIC_RELAXED);
}

void note_environment_read(const char* name) {
  if (!region || !name) return;
  const uint64_t hash = heddle_name_hash(name);
  for (uint32_t i = 0; i < HEDDLE_ENVIRONMENT_READ; i++) {
    uint64_t* slot = &region->environment_read[(hash + i) % HEDDLE_ENVIRONMENT_READ];
    uint64_t seen = 0;
    if (__atomic_compare_exchange_n(slot, &seen, hash, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || seen == hash)
      return;
  }
  note_environment_given_away();
}

}  // namespace heddle::rt
