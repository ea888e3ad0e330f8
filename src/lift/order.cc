#include "src/lift/order.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::uint64_t kWord = 8, kLongestRange = 1u << 20;  // of longer ones the rest is not compared

bool is_place(std::uint32_t kind) { return kind == HEDDLE_EV_HANDOVER || kind == HEDDLE_EV_BUDGET; }
bool is_range(std::uint32_t kind) { return kind == HEDDLE_EV_READ_RANGE || kind == HEDDLE_EV_WRITE_RANGE; }

}  // namespace

bool PointOrder::add(std::span<const HeddleEvent> events, std::uint64_t most) {
  for (const HeddleEvent& e : events) {
    if (now_ == most) return false;
    now_++;
    if (e.thread >= points_.size()) points_.resize(e.thread + 1u);
    const std::uint32_t properties = heddle_event_properties(e.kind);
    const bool is_step = (e.flags & HEDDLE_EF_POINT) && !is_place(e.kind);
    const bool is_atomic =
        !(e.flags & HEDDLE_EF_POINT) &&
        (e.kind == HEDDLE_EV_FENCE || ((properties & HEDDLE_P_ACCESS) && (properties & HEDDLE_P_SYNC)));
    const bool is_plain =
        !(e.flags & HEDDLE_EF_POINT) && (properties & HEDDLE_P_ACCESS) && !(properties & HEDDLE_P_SYNC);
    if (!is_step && !is_atomic && !is_plain) continue;
    if (is_step || is_atomic) points_[e.thread].push_back(now_);
    if (e.address != 0 && (is_atomic || is_plain)) access(e, is_atomic);
    seen_.push_back({e.site, e.thread, is_step || is_atomic, is_step || e.object == 0});
  }
  return true;
}

void PointOrder::access(const HeddleEvent& e, bool is_point) {
  Access access{e.thread, 0, (heddle_event_properties(e.kind) & HEDDLE_P_WRITE) != 0, is_point, e.site, now_};
  const std::uint64_t length = is_range(e.kind) ? std::min(e.value, kLongestRange) : 1u << (e.flags & HEDDLE_EF_SIZE);
  const std::uint64_t end = e.address + length;
  for (std::uint64_t at = e.address; at < end;) {
    const std::uint64_t word = at / kWord, next = std::min(end, (word + 1) * kWord);
    access.bytes = static_cast<std::uint8_t>(((1u << (next - at)) - 1) << at % kWord);
    touch(word, access);
    at = next;
  }
}

bool PointOrder::in_order(const Access& before, const Access& after) const {
  const std::vector<Time>&mine = points_[before.thread], &theirs = points_[after.thread];
  // A point is executed with its access, and at once.
  const auto behind =
      before.is_point ? std::ranges::lower_bound(mine, before.time) : std::ranges::upper_bound(mine, before.time);
  if (behind == mine.end()) return false;
  const auto front =
      after.is_point ? std::ranges::upper_bound(theirs, after.time) : std::ranges::lower_bound(theirs, after.time);
  return front != theirs.begin() && *behind < *std::prev(front);
}

void PointOrder::touch(std::uint64_t word, const Access& access) {
  std::vector<Access>& others = words_[word];
  for (const Access& other : others) {
    if (other.thread == access.thread || !(other.bytes & access.bytes) || !(other.writes || access.writes)) continue;
    if (in_order(other, access)) continue;
    if (!other.is_point) racy_.insert(other.site);
    if (!access.is_point) racy_.insert(access.site);
  }
  // Of one thread the latest is enough: what is in order behind it is so behind all before it.
  std::erase_if(others, [&](const Access& other) {
    return other.thread == access.thread && other.writes == access.writes && (other.bytes & ~access.bytes) == 0;
  });
  others.push_back(access);
}

std::vector<HeddleSegment> PointOrder::schedule() const {
  std::vector<HeddleSegment> out;
  bool passed = false;  // the point of this group
  for (const Seen& seen : seen_) {
    if (seen.first) passed = false;
    if (passed || (!seen.always && !racy_.contains(seen.site))) continue;
    passed = true;
    if (out.empty() || out.back().thread != seen.thread) out.push_back({seen.thread, 0});
    out.back().steps++;
  }
  return out;
}

std::vector<std::vector<std::uint32_t>> PointOrder::accesses() const {
  std::vector<std::vector<std::uint32_t>> out(points_.size());
  for (const Seen& seen : seen_)
    if (!seen.always) out[seen.thread].push_back(seen.site);
  return out;
}

}  // namespace heddle
