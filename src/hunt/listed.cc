#include "src/hunt/listed.h"

namespace heddle {
namespace {

constexpr std::size_t kMostListed = 200'000;      // what is beyond is for icb itself
constexpr std::uint64_t kLongestListed = 50'000;  // steps

}  // namespace

Listed::Listed(std::uint64_t seed)
    : enumeration_(Enumeration::Order::kByPreemptions, seed, std::nullopt, kMostListed) {}

void Listed::learn(const Epoch& epoch, const std::map<std::uint64_t, Lesson>& lessons) {
  std::size_t i = 0;
  for (const auto& [index, prefix] : epoch.prefixes) {
    auto lesson = lessons.find(index);
    if (lesson == lessons.end() || !lesson->second.seen)
      enumeration_.lost(i++);
    else
      enumeration_.learn(i++, lesson->second.seen->decisions);
  }
}

void Listed::plan(Epoch& epoch, bool fresh) {
  if (fresh) enumeration_.restart();
  if (epoch.longest > kLongestListed) return;
  std::vector<std::uint64_t> runs;
  for (std::uint64_t index = epoch.first; index < epoch.end; index++)
    if (pick_of(epoch.mix, epoch.first, index).strategy == Strategy::kIcb) runs.push_back(index);
  std::vector<Prefix> prefixes = enumeration_.take(runs.size());
  for (std::size_t i = 0; i < prefixes.size(); i++) epoch.prefixes[runs[i]] = std::move(prefixes[i]);
}

}  // namespace heddle
