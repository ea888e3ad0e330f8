// A GoogleTest program in which the failure of two tests depends on the schedule, and no other test fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Shop {
 public:
  explicit Shop(int stock) : stock_(stock) {}
  bool in_stock() {
    std::lock_guard lock(mutex_);
    return stock_ > 0;
  }
  void take() {
    std::lock_guard lock(mutex_);
    stock_--;
  }
  bool take_if_there() {
    std::lock_guard lock(mutex_);
    if (stock_ == 0) return false;
    stock_--;
    return true;
  }
  int stock() {
    std::lock_guard lock(mutex_);
    return stock_;
  }

 private:
  std::mutex mutex_;
  int stock_;
};

template <class Buy>
void two_buyers(Buy buy) {
  std::thread a(buy), b(buy);
  a.join();
  b.join();
}

TEST(Shop, SellsWhatIsThere) {
  Shop shop(2);
  two_buyers([&] { shop.take_if_there(); });
  EXPECT_EQ(shop.stock(), 0);
}

TEST(Shop, NeverSellsWhatIsNotThere) {
  Shop shop(1);
  two_buyers([&] {
    if (shop.in_stock()) shop.take();
  });
  EXPECT_GE(shop.stock(), 0) << "sold twice";  // line 56
}

TEST(Shop, DISABLED_AlwaysFails) { FAIL(); }

TEST(Shop, IsSkippedByItself) { GTEST_SKIP() << "not here"; }

class Stock : public testing::TestWithParam<int> {};
TEST_P(Stock, IsNeverNegative) {
  Shop shop(GetParam());
  two_buyers([&] {
    if (shop.in_stock()) shop.take();
  });
  ASSERT_GE(shop.stock(), 0);  // line 69: fails for 1 only
}
INSTANTIATE_TEST_SUITE_P(Sizes, Stock, testing::Values(1, 2));

template <class T>
class Counts : public testing::Test {};
using Numbers = testing::Types<int, long>;
TYPED_TEST_SUITE(Counts, Numbers);
TYPED_TEST(Counts, UnderALock) {
  std::mutex mutex;
  TypeParam n = 0;
  two_buyers([&] {
    std::lock_guard lock(mutex);
    n++;
  });
  EXPECT_EQ(n, 2);
}

}  // namespace
