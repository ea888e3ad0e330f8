#include "src/show/fold.h"

namespace heddle {

void Fold::add(const Row& row) {
  if (row.private_only && !row.preempted_after) {
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
  }
  tail_.pop_front();
}

std::vector<Row> Fold::finish() {
  if (held_) show(*std::exchange(held_, std::nullopt));
  std::vector<Row> rows = std::move(head_);
  rows.insert(rows.end(), middle_.begin(), middle_.end());
  for (const Kept& k : tail_) rows.push_back(k.row);
  return rows;
}

}  // namespace heddle
