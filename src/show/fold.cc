#include "src/show/fold.h"

#include <algorithm>
#include <iterator>

namespace heddle {

void Fold::add(const Row& row) {
  if (row.private_only && !row.preempted_after) {
    if (row.foreign) return;
    if (folding_private_) {
      held_.reset();  // two or more in a row: worth a fold
    } else {
      held_ = row;
      folding_private_ = true;
    }
    return;
  }
  folding_private_ = false;
  if (held_) show(*std::exchange(held_, std::nullopt));
  show(row);
}

void Fold::show(const Row& row) {
  if (head_.size() < limits_.head) {
    head_.push_back(row);
    return;
  }
  tail_.push_back({row, near_left_ > 0});
  if (near_left_ > 0) --near_left_;
  if (row.preempted_after) {
    for (std::size_t i = 0; i < tail_.size() && i <= limits_.around; ++i) tail_[tail_.size() - 1 - i].near = true;
    near_left_ = limits_.around;
  }
  if (tail_.size() <= limits_.tail) return;
  if (tail_.front().near) {
    middle_.push_back(tail_.front().row);
    if (middle_.size() > limits_.middle) middle_.pop_front();
  } else if (tail_.front().row.acquires) {
    acquired_.push_back(tail_.front().row);
    if (acquired_.size() > limits_.acquired) acquired_.pop_front();
  }
  tail_.pop_front();
}

std::vector<Row> Fold::finish() {
  if (held_) show(*std::exchange(held_, std::nullopt));
  std::vector<Row> rows = std::move(head_);
  std::merge(middle_.begin(), middle_.end(), acquired_.begin(), acquired_.end(), std::back_inserter(rows),
             [](const Row& a, const Row& b) { return a.position < b.position; });
  for (const Kept& k : tail_) rows.push_back(k.row);
  return rows;
}

}  // namespace heddle
