#include "src/hunt/timeouts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "src/hunt/dice.h"

namespace heddle {
namespace {

constexpr std::uint32_t kOf = 16, kDefault = 4, kLeast = 2, kMost = 12;
constexpr std::uint64_t kEnough = 4;         // observed runs of each side before their rates are compared
constexpr std::uint32_t kFew = 4;            // waits of which all may end early
constexpr std::uint32_t kChances[] = {256, 64, 16};  // of 256, where there are more

}  // namespace

std::uint32_t TimeoutPlan::chance(std::uint64_t seed, std::uint64_t index) const {
  if (waits == 0 || share == 0 || index == 0) return 0;
  Dice dice{seed ^ index * 0xd1342543de82ef95ull};
  if (dice.below(kOf) >= share) return 0;
  return waits <= kFew ? 256 : kChances[dice.below(std::size(kChances))];
}

void TimeoutShare::learn(std::uint32_t waits, bool early, bool observed, bool is_new) {
  waits_ = std::max(waits_, waits);
  if (!observed) return;
  Side& side = early ? early_ : due_;
  side.observed++;
  side.news += is_new;
}

TimeoutPlan TimeoutShare::next() const {
  if (waits_ == 0) return {};
  if (early_.observed < kEnough || due_.observed < kEnough) return {waits_, kDefault};
  const double share = kOf * early_.rate() / (early_.rate() + due_.rate());
  return {waits_, std::clamp(static_cast<std::uint32_t>(std::lround(share)), kLeast, kMost)};
}

}  // namespace heddle
