// Which rows of a long trace are shown: its beginning, its end, and what is around preemptions, the last ones first.
// Bounded memory: rows come in a stream, and what cannot be kept is forgotten at once.
#pragma once
#include <deque>
#include <optional>
#include <vector>

#include "src/show/rows.h"

namespace heddle {

class Fold {
 public:
  struct Limits {
    std::size_t head = 40, middle = 60, tail = 60;
    std::size_t around = 6;
    std::size_t acquired = 16;
  };
  explicit Fold(Limits limits) : limits_(limits) {}

  void add(const Row& row);
  /// The rows to show, in order. Where positions jump, rows were folded.
  std::vector<Row> finish();

 private:
  struct Kept {
    Row row;
    bool near = false;  // to a preemption
  };
  void show(const Row& row);

  Limits limits_;
  std::vector<Row> head_;
  std::deque<Kept> tail_;
  std::deque<Row> middle_;
  std::deque<Row> acquired_;  // locks of the deadlock, the last ones
  std::optional<Row> held_;   // a private row that is alone so far: folding one row would not save a line
  bool folding_private_ = false;
  std::size_t near_left_ = 0;  // rows after the last preemption that still count as near
};

}  // namespace heddle
