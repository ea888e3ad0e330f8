#include "src/trace/block_queue.h"

#include <utility>

namespace heddle {

BlockQueue::BlockQueue(std::function<Status(const RawBlock&)> handle)
    : handle_(std::move(handle)), thread_([this] { run(); }) {}

BlockQueue::~BlockQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

Status BlockQueue::push(RawBlock block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kWaiting || !status_; });
  if (!status_) return status_;
  waiting_.push_back(std::move(block));
  lock.unlock();
  changed_.notify_all();
  return {};
}

Status BlockQueue::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_ && (waiting_.empty() || !status_); });
  return status_;
}

std::string BlockQueue::spare() {
  const std::lock_guard lock(mutex_);
  return std::exchange(spare_, {});
}

void BlockQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || (status_ && !waiting_.empty()); });
    if (ending_) return;
    RawBlock block = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    lock.unlock();
    changed_.notify_all();
    Status handled = handle_(block);
    block.bytes.clear();
    lock.lock();
    busy_ = false;
    spare_ = std::move(block.bytes);
    if (!handled) status_ = std::move(handled);
    changed_.notify_all();
  }
}

}  // namespace heddle
