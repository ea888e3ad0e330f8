#include "src/simplify/order.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Order, NamesEachThreadOnceByItsLabelElseByItsFunction) {
  TraceHead head;
  head.threads = {{"0", 0, "main", ""}, {"0.1", 0, "work", "consumer"}, {"0.2", 0, "work", ""}};
  Execution execution;
  for (const char* name : {"0", "0.1", "0.2"}) execution.threads.push_back({name, 0, 0, {}, {}});
  for (std::uint32_t thread : {0u, 2u, 1u, 0u}) execution.turns.push_back({thread, 1});
  EXPECT_EQ(
      in_words(order_of(execution, head), 9),
      "no preemption is needed: it fails when the threads run in this order: 0 (main), 0.2 (work), 0.1 (consumer), 0");
  EXPECT_EQ(
      in_words(order_of(execution, head), 2),
      "no preemption is needed: it fails when the threads run in this order: 0 (main), 0.2 (work), and 2 more turns");
}

TEST(Order, OneThreadNeedsNoSwitch) {
  EXPECT_EQ(in_words({{"0", "main"}}, 9), "no switch is needed: it fails when only thread 0 runs");
}

}  // namespace
}  // namespace heddle
