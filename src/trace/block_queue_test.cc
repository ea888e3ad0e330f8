#include "src/trace/block_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace heddle {
namespace {

RawBlock block(std::uint32_t number) { return {format::Section::Events, std::to_string(number), number, number}; }

TEST(BlockQueue, handles_all_blocks_in_order) {
  std::vector<std::string> handled;
  BlockQueue queue([&](const RawBlock& b) {
    EXPECT_EQ(b.bytes, std::to_string(b.first));
    handled.push_back(b.bytes);
    return Status{};
  });
  for (std::uint32_t i = 0; i < 1000; i++) ASSERT_TRUE(queue.push(block(i)));
  ASSERT_TRUE(queue.drain());
  ASSERT_EQ(handled.size(), 1000u);  // no lock: behind drain() the thread touches nothing
  for (std::uint32_t i = 0; i < 1000; i++) EXPECT_EQ(handled[i], std::to_string(i));
}

TEST(BlockQueue, goes_on_after_drain) {
  int handled = 0;
  BlockQueue queue([&](const RawBlock&) { return handled++, Status{}; });
  for (int round = 1; round <= 100; round++) {
    ASSERT_TRUE(queue.push(block(0)));
    ASSERT_TRUE(queue.drain());
    EXPECT_EQ(handled, round);
  }
}

TEST(BlockQueue, the_first_error_ends_it_and_is_what_later_calls_return) {
  std::atomic<int> handled = 0;
  BlockQueue queue([&](const RawBlock& b) {
    handled++;
    return b.first == 3 ? Status(error("disk full at " + b.bytes)) : Status{};
  });
  for (std::uint32_t i = 0; i < 100; i++)
    if (Status s = queue.push(block(i)); !s) {
      EXPECT_EQ(s.error().message, "disk full at 3");
    }
  for (int i = 0; i < 2; i++) {
    const Status s = queue.drain();
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().message, "disk full at 3");
    EXPECT_FALSE(queue.push(block(0)));
  }
  EXPECT_EQ(handled, 4);
}

TEST(BlockQueue, a_full_queue_makes_the_producer_wait) {
  std::atomic<bool> open = false;
  std::atomic<int> handled = 0, pushed = 0;
  BlockQueue queue([&](const RawBlock&) {
    while (!open) std::this_thread::yield();
    handled++;
    return Status{};
  });
  std::thread producer([&] {
    for (std::uint32_t i = 0; i < 10; i++, pushed++) EXPECT_TRUE(queue.push(block(i)));
  });
  while (pushed < 3) std::this_thread::yield();  // one is handled, two wait
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pushed, 3);
  open = true;
  producer.join();
  EXPECT_TRUE(queue.drain());
  EXPECT_EQ(handled, 10);
}

TEST(BlockQueue, ends_with_blocks_that_wait) {
  std::atomic<int> handled = 0;
  {
    BlockQueue queue([&](const RawBlock&) { return handled++, Status{}; });
    ASSERT_TRUE(queue.push(block(0)));
    ASSERT_TRUE(queue.push(block(1)));
  }
  const int then = handled;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(handled, then) << "its thread is still there";
}

}  // namespace
}  // namespace heddle
