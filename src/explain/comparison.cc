#include "src/explain/comparison.h"

#include <algorithm>
#include <set>

#include "src/order/operation.h"

namespace heddle {
namespace {

class Comparer {
 public:
  Comparer(const Observed& failing, const Observed& alternate) : failing_(failing), alternate_(alternate) {}

  Comparison run() {
    find_reordered();
    find_flows();
    return std::move(out_);
  }

 private:
  void keep(const Reordered& pair) {
    if (seen_.insert({pair.first, pair.second == kNowhere ? pair.second_there + failing_.size() : pair.second}).second)
      out_.reordered.push_back(pair);
  }

  void find_reordered() {
    for (std::size_t i = 0; i < failing_.order().conflicts(); i++) {
      const Conflict conflict = failing_.order().conflict(i);
      const At first = failing_.at(conflict.first), second = failing_.at(conflict.second);
      const At first_there = alternate_.same(failing_, first), second_there = alternate_.same(failing_, second);
      if (second_there != kNowhere && (first_there == kNowhere || second_there < first_there))
        keep({first, second, first_there, second_there});
    }
    // What the failing execution did not come to any more came too late.
    for (std::size_t i = 0; i < alternate_.order().conflicts(); i++) {
      const Conflict conflict = alternate_.order().conflict(i);
      const At early = alternate_.at(conflict.first), late = alternate_.at(conflict.second);
      const At first = failing_.same(alternate_, late), second = failing_.same(alternate_, early);
      if (first != kNowhere && (second == kNowhere || first < second)) keep({first, second, late, early});
    }
    const auto place = [](const Reordered& pair) {
      return std::pair(pair.second == kNowhere ? pair.first : pair.second, pair.first);
    };
    std::ranges::stable_sort(out_.reordered,
                             [&](const Reordered& a, const Reordered& b) { return place(a) > place(b); });
  }

  void find_flows() {
    for (At read = failing_.size(); read-- > 0;) {
      const HeddleEvent& event = failing_[read];
      if (!reads_memory(event)) continue;
      const At write = source_of(failing_, read);
      const At read_there = alternate_.same(failing_, read);
      if (read_there == kNowhere) continue;
      const At write_there = source_of(alternate_, read_there);
      if (write == kNowhere && write_there == kNowhere) continue;
      const At same = write == kNowhere ? kNowhere : alternate_.same(failing_, write);
      if (write != kNowhere && same != kNowhere && same == write_there) continue;
      out_.flows.push_back({read, write, read_there, write_there});
    }
  }

  const Observed& failing_;
  const Observed& alternate_;
  Comparison out_;
  std::set<std::pair<At, At>> seen_;
};

}  // namespace

std::size_t flows_between_threads(const Observed& run) {
  std::size_t count = 0;
  for (At read = 0; read < run.size(); read++) {
    if (!reads_memory(run[read])) continue;
    const At write = source_of(run, read);
    count += write != kNowhere && run[write].thread != run[read].thread;
  }
  return count;
}

At source_of(const Observed& run, At read) {
  const std::vector<ReadPart> parts = run.order().reads_from(run.id(read));
  return parts.empty() ? kNowhere : run.at(parts.front().write);
}

Comparison compare(const Observed& failing, const Observed& alternate) { return Comparer(failing, alternate).run(); }

}  // namespace heddle
