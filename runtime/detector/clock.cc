#include "runtime/detector/clock.h"

#include "runtime/detector/pool.h"

namespace heddle::rt::detector {

void Clock::resize(uint32_t size) {
  if (generation_ != generation) {
    size_ = 0;
    generation_ = generation;
  }
  if (size <= size_) return;
  if (size > capacity_) {
    size_t bytes = size * sizeof(Epoch);
    auto* bigger = static_cast<Epoch*>(pool_allocate(bytes));
    for (uint32_t i = 0; i < size_; i++) bigger[i] = at_[i];
    pool_release(at_, capacity_ * sizeof(Epoch));
    at_ = bigger;
    capacity_ = static_cast<uint32_t>(bytes / sizeof(Epoch));
  }
  for (uint32_t i = size_; i < size; i++) at_[i] = kEmpty;
  size_ = size;
}

void Clock::set(uint32_t thread, Epoch e) {
  resize(thread + 1);
  at_[thread] = e;
}

void Clock::join(const Clock& other) {
  if (other.empty()) return;
  resize(other.size_);
  Epoch* __restrict mine = at_;
  const Epoch* __restrict theirs = other.at_;
  for (uint32_t i = 0; i < other.size_; i++) mine[i] = mine[i] < theirs[i] ? theirs[i] : mine[i];
}

void Clock::assign(const Clock& other) {
  if (&other == this) return;
  clear();
  join(other);
}

void Clock::release() {
  pool_release(at_, capacity_ * sizeof(Epoch));
  at_ = nullptr;
  size_ = capacity_ = 0;
}

void release_into(Thread& t, Clock& c) {
  c.join(t.detector.clock->current);
  close_epoch(t);
}

void acquire_from(Thread& t, const Clock& c) { t.detector.clock->current.join(c); }

}  // namespace heddle::rt::detector
