// Two bugs in one test, both failed expectations: who comes first (no preemption needed), and a lost update (one needed).
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

TEST(Two, Bugs) {
  std::atomic<int> count{0}, first{0};
  const auto work = [&](int me) {
    int nobody = 0;
    first.compare_exchange_strong(nobody, me);
    const int seen = count.load();
    count = seen + 1;
  };
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  EXPECT_EQ(first.load(), 1) << "order";
  EXPECT_EQ(count.load(), 2) << "lost update";
}
