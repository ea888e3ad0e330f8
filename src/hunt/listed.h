// icb as a part of auto: schedules with few preemptions, listed and each executed once, beside the randomised ones.
// What the list holds comes from the runs of the list, so an epoch has at most as many as earlier ones led to.
#pragma once
#include <map>

#include "src/hunt/enumeration.h"
#include "src/hunt/epochs.h"

namespace heddle {

class Listed {
 public:
  explicit Listed(std::uint64_t seed);
  /// The runs of `epoch` that plan() gave a prefix.
  void learn(const Epoch& epoch, const std::map<std::uint64_t, Lesson>& lessons);
  /// Fills epoch.prefixes for the runs that are icb's by epoch.mix, as long as there are any. `fresh`: the set of
  /// points has changed.
  void plan(Epoch& epoch, bool fresh);

 private:
  Enumeration enumeration_;
};

}  // namespace heddle
