// Blocks on their way into a file, handled by a thread of their own: whoever makes events encodes the next block while
// the one before is compressed and written.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "src/result/result.h"
#include "src/trace/format.h"

namespace heddle {

struct RawBlock {
  format::Section section;
  std::string bytes;
  std::uint64_t first;  // number of its first event
  std::uint32_t count;
};

/// For one producer. Memory is bounded by kWaiting blocks and the one that is handled.
class BlockQueue {
 public:
  /// `handle` is called on the queue's thread, with one block after the other, until it fails.
  explicit BlockQueue(std::function<Status(const RawBlock&)> handle);
  /// Drops the blocks that wait.
  ~BlockQueue();
  BlockQueue(const BlockQueue&) = delete;

  /// Waits while the queue is full. Error: that of an earlier block.
  Status push(RawBlock block);
  /// Waits until all blocks are handled. The thread then touches nothing until the next push().
  Status drain();
  /// Memory of a block that was handled, for the next one.
  std::string spare();

 private:
  static constexpr std::size_t kWaiting = 2;
  void run();

  std::function<Status(const RawBlock&)> handle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<RawBlock> waiting_;
  std::string spare_;
  Status status_;
  bool busy_ = false, ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace heddle
