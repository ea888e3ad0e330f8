#include "src/engine/areas.h"

namespace heddle {
namespace {

template <class T>
std::uint32_t size_of(const std::vector<T>& list) {
  return static_cast<std::uint32_t>(list.size());
}
template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& list) {
  return std::as_bytes(std::span<const T>(list));
}
template <class T>
std::span<const std::byte> bytes_of_one(const T& value) {
  return std::as_bytes(std::span<const T>(&value, 1));
}

}  // namespace

bool write_targets(Region& region, const RunTargets& targets) {
  const HeddleTargets head{size_of(targets.sites), size_of(targets.threads), targets.race ? 1u : 0u,
                           size_of(targets.reads_from)};
  const HeddleRaceTarget race = targets.race.value_or(HeddleRaceTarget{});
  return region.fill(HEDDLE_AREA_TARGETS,
                     {bytes_of_one(head), bytes_of(targets.sites), bytes_of(targets.threads),
                      targets.race ? bytes_of_one(race) : std::span<const std::byte>(), bytes_of(targets.reads_from)});
}

bool write_guide(Region& region, const Guide& guide) {
  const HeddleGuide head{size_of(guide.paths), size_of(guide.turns), size_of(guide.actions), guide.anywhere, guide.early};
  return region.fill(HEDDLE_AREA_GUIDE,
                     {bytes_of_one(head), bytes_of(guide.paths), bytes_of(guide.turns), bytes_of(guide.actions)});
}

}  // namespace heddle
