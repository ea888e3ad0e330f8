#include "src/engine/step_log.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace heddle {
namespace {

constexpr std::size_t kHeaderWords = sizeof(HeddleChunk) / sizeof(std::uint64_t),
                      kSmallestWords = HEDDLE_SMALLEST_CHUNK / sizeof(std::uint64_t);

// Once: the program may still write there.
std::uint64_t word_at(std::span<const std::uint64_t> words, std::size_t i) {
  return __atomic_load_n(&words[i], __ATOMIC_ACQUIRE);
}

/// Calls f(thread, words of its entries) for each chunk.
template <class F>
void for_each_chunk(std::span<const std::uint64_t> area, F f) {
  while (area.size() > kHeaderWords) {
    const std::uint64_t first = word_at(area, 0);
    const auto owner = static_cast<std::uint32_t>(first);
    const std::size_t words = static_cast<std::uint32_t>(first >> 32) / sizeof(std::uint64_t);
    if (owner == 0 || owner > HEDDLE_MAX_THREADS || words < kSmallestWords || words > area.size()) return;
    f(owner - 1, area.first(words).subspan(kHeaderWords));
    area = area.subspan(words);
  }
}

}  // namespace

bool ThreadLog::advance() {
  while (!damaged_ && chunk_ < chunks_.size()) {
    const std::span<const std::uint64_t> words = chunks_[chunk_];
    const std::uint64_t first = word_ < words.size() ? word_at(words, word_) : 0;
    if (first == 0) {
      chunk_++, word_ = 0;
      continue;
    }
    static constexpr std::uint64_t kNone = 0;
    const bool is_long = (first & HEDDLE_ENTRY_SHORT) == 0, is_cut = is_long && word_ + 1 >= words.size();
    std::uint64_t delta = 0;
    word_ += heddle_read_entry(first, is_long && !is_cut ? &words[word_ + 1] : &kNone, &step_, &delta);
    step_.thread = static_cast<std::uint16_t>(thread_);
    damaged_ = is_cut || step_.kind == HEDDLE_EV_NONE || step_.kind >= HEDDLE_EV_COUNT || delta > ~number_;
    if (!damaged_) number_ += delta;
    return !damaged_;
  }
  return false;
}

StepMerge::StepMerge(std::span<const std::uint64_t> area, std::optional<StepOrder> last) : last_(last) {
  std::vector<std::size_t> of_thread(HEDDLE_MAX_THREADS, ~std::size_t{0});
  for_each_chunk(area, [&](std::uint32_t thread, std::span<const std::uint64_t> words) {
    if (of_thread[thread] == ~std::size_t{0}) of_thread[thread] = logs_.size(), logs_.emplace_back(thread);
    logs_[of_thread[thread]].add_chunk(words);
  });
  for (std::size_t i = 0; i < logs_.size(); i++) {
    if (logs_[i].advance()) heap_.push_back(i);
    damaged_ |= logs_[i].damaged();
  }
  std::ranges::sort(heap_, [&](std::size_t a, std::size_t b) { return comes_first(a, b); });
}

void StepMerge::sift_down() {
  for (std::size_t at = 0;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) return;
    if (child + 1 < heap_.size() && comes_first(heap_[child + 1], heap_[child])) child++;
    if (!comes_first(heap_[child], heap_[at])) return;
    std::swap(heap_[at], heap_[child]);
    at = child;
  }
}

const HeddleStep* StepMerge::next() {
  if (taken_ && !heap_.empty()) {
    ThreadLog& log = logs_[heap_.front()];
    const StepOrder before = log.order();
    if (log.advance()) {
      if (log.order() == before) return &log.step();
    } else {
      damaged_ |= log.damaged();
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    sift_down();
  }
  taken_ = false;
  if (heap_.empty() || damaged_) return nullptr;
  const ThreadLog& log = logs_[heap_.front()];
  if (last_ && *last_ < log.order()) return nullptr;
  taken_ = true;
  return &log.step();
}

std::vector<HeddleStep> StepMerge::beyond() const {
  std::vector<HeddleStep> steps;
  for (std::size_t i : heap_) steps.push_back(logs_[i].step());
  return steps;
}

std::optional<StepOrder> last_step_of(std::span<const std::uint64_t> area, std::uint32_t thread) {
  ThreadLog log(thread);
  for_each_chunk(area, [&](std::uint32_t owner, std::span<const std::uint64_t> words) {
    if (owner == thread) log.add_chunk(words);
  });
  std::optional<StepOrder> last;
  while (log.advance()) last = log.order();
  return last;
}

}  // namespace heddle
