#include "src/hunt/enumeration.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle {
Prefix prefix_of(std::span<const std::uint16_t> threads, std::size_t steps, std::uint16_t then) {
  Prefix out;
  auto add = [&](std::uint16_t thread) {
    if (out.empty() || out.back().thread != thread) out.push_back({thread, 0});
    out.back().steps++;
  };
  for (std::size_t i = 0; i < steps; i++) add(threads[i]);
  add(then);
  return out;
}

Enumeration::Enumeration(Order order, std::uint64_t seed, std::optional<std::uint32_t> bound, std::size_t most)
    : order_(order), dice_{seed}, bound_(bound), most_(most) {
  restart();
}

void Enumeration::restart() {
  queue_.assign(1, Item{});
  later_.clear();
  taken_.clear();
  finished_.reset();
  current_ = 0;
  in_flight_ = 0;
  trouble_ = too_large_ = false;
}

Enumeration::Item Enumeration::pop() {
  if (order_ == Order::kByPreemptions) std::swap(queue_[dice_.below(queue_.size())], queue_.back());
  Item item = std::move(queue_.back());
  queue_.pop_back();
  return item;
}

void Enumeration::next_bound() {
  while (queue_.empty() && in_flight_ == 0 && order_ == Order::kByPreemptions) {
    if (exact()) finished_ = current_;
    if (later_.empty() || (bound_ && current_ >= *bound_)) {
      later_.clear();
      return;
    }
    queue_ = std::exchange(later_, {});
    current_++;
  }
}

std::vector<Prefix> Enumeration::take(std::size_t most) {
  next_bound();
  taken_.clear();
  std::vector<Prefix> out;
  while (out.size() < most && !queue_.empty()) {
    taken_.push_back(pop());
    const Item& item = taken_.back();
    out.push_back(item.run ? prefix_of(*item.run, item.steps, item.then) : Prefix{});
  }
  in_flight_ = taken_.size();
  return out;
}

bool Enumeration::followed(const Item& item, std::span<const HeddleDecision> decisions) const {
  if (!item.run) return true;
  if (decisions.size() <= item.steps || decisions[item.steps].thread != item.then) return false;
  for (std::size_t i = 0; i < item.steps; i++)
    if (decisions[i].thread != (*item.run)[i]) return false;
  return true;
}

void Enumeration::learn(std::size_t i, std::span<const HeddleDecision> decisions) {
  in_flight_--;
  const Item& item = taken_[i];
  if (!followed(item, decisions)) {
    trouble_ = true;
    return;
  }
  auto run = std::make_shared<std::vector<std::uint16_t>>();
  run->reserve(decisions.size());
  for (const HeddleDecision& decision : decisions) run->push_back(decision.thread);
  for (std::size_t at = length(item); at < decisions.size(); at++) {
    const HeddleDecision& decision = decisions[at];
    if (decision.flags & HEDDLE_DECISION_MORE) trouble_ = true;
    std::uint64_t others = decision.thread < 64 ? decision.enabled & ~(1ull << decision.thread) : decision.enabled;
    const bool preempts = order_ == Order::kByPreemptions && (decision.flags & HEDDLE_DECISION_COULD_STAY);
    if (others && queue_.size() + later_.size() > most_) {
      too_large_ = true;
      return;
    }
    for (; others; others &= others - 1)
      (preempts ? later_ : queue_)
          .push_back({run, static_cast<std::uint32_t>(at), static_cast<std::uint16_t>(std::countr_zero(others))});
  }
  next_bound();
}

}  // namespace heddle
