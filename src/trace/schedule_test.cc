#include "src/trace/schedule.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle {
namespace {

Schedule make(std::initializer_list<std::pair<const char*, int>> segments) {
  Schedule s;
  for (const auto& [thread, steps] : segments) s.append(thread, static_cast<std::uint64_t>(steps));
  return s;
}

Schedule random_schedule(std::mt19937_64& rng) {
  const char* names[] = {"0", "0.1", "0.2", "0.1.1", "0.10", "?9"};
  Schedule s;
  for (auto n = rng() % 40; n > 0; --n) s.append(names[rng() % 6], rng() % 5 == 0 ? rng() % (1u << 30) : rng() % 4);
  return s;
}

TEST(Schedule, ParseOfPrintIsTheSame) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 rng(seed);
    const Schedule s = random_schedule(rng);
    const auto again = Schedule::parse(s.print());
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, s);
    EXPECT_EQ(again->print(), s.print());
  }
}

TEST(Schedule, TextMayHaveCommentsBlanksAndSplitSegments) {
  const auto s = Schedule::parse("# mine\r\n\n 0 2 # main\n0\t1\n0.1 3\r\n0 1");
  ASSERT_TRUE(s);
  EXPECT_EQ(*s, make({{"0", 3}, {"0.1", 3}, {"0", 1}}));
  EXPECT_EQ(s->switches(), 2u);
  EXPECT_EQ(s->steps(), 7u);
  EXPECT_TRUE(Schedule::parse("")->segments().empty());
}

TEST(Schedule, ErrorsNameTheLine) {
  for (const char* bad : {"main 3", "0", "0 0", "0 -1", "0 x", "0 1 2", "0. 1", ".1 1", "0..1 1",
                          "0 99999999999999999999", "? 1", "0 1x"}) {
    const auto s = Schedule::parse(std::string("# c\n0 1\n") + bad + "\n0 1\n");
    ASSERT_FALSE(s) << bad;
    EXPECT_NE(s.error().message.find("line 3"), std::string::npos) << s.error().message;
  }
}

TEST(Schedule, DivergenceIsTheFirstStepThatLeftTheRecording) {
  const Schedule recorded = make({{"0", 3}, {"0.1", 2}, {"0", 4}});
  EXPECT_EQ(recorded.divergence(recorded), std::nullopt);
  EXPECT_EQ(recorded.divergence(make({{"0", 3}, {"0.1", 2}, {"0", 9}})), std::nullopt);  // went on after the end
  EXPECT_EQ(recorded.divergence(make({{"0", 3}, {"0.1", 2}, {"0", 4}, {"0.1", 1}})), std::nullopt);
  EXPECT_EQ(recorded.divergence(make({{"0", 3}, {"0.1", 2}, {"0", 3}})), 8u);  // ended early
  EXPECT_EQ(recorded.divergence(make({{"0", 2}, {"0.1", 2}, {"0", 4}})), 2u);
  EXPECT_EQ(recorded.divergence(make({{"0", 4}, {"0.1", 2}, {"0", 4}})), 3u);
  EXPECT_EQ(recorded.divergence(make({{"0", 3}, {"0.2", 2}, {"0", 4}})), 3u);
  EXPECT_EQ(recorded.divergence(make({{"0.1", 1}})), 0u);
  EXPECT_EQ(recorded.divergence({}), 0u);
  EXPECT_EQ(Schedule().divergence(recorded), std::nullopt);
}

TEST(Schedule, DivergenceAgreesWithStepByStepComparison) {
  const auto steps = [](const Schedule& s) {
    std::vector<std::string> all;
    for (const auto& segment : s.segments()) all.insert(all.end(), segment.steps, s.name(segment.thread));
    return all;
  };
  std::mt19937_64 rng(3);
  for (int i = 0; i < 500; ++i) {
    Schedule a, b;
    for (int k = 0; k < 5; ++k) {
      const char* t = rng() % 2 ? "0" : "0.1";
      const auto n = rng() % 3;
      a.append(t, n);
      b.append(rng() % 9 ? t : "0.2", rng() % 9 ? n : n + 1);
    }
    const auto x = steps(a), y = steps(b);
    std::optional<std::uint64_t> expected;
    for (std::size_t k = 0; k < x.size() && !expected; ++k)
      if (k >= y.size() || x[k] != y[k]) expected = k;
    EXPECT_EQ(a.divergence(b), expected);
  }
}

TEST(Schedule, BindsByNameNotByIndex) {
  const std::vector<ThreadRecord> then = {{"0", 0, "", ""}, {"0.1", 0, "", ""}, {"0.2", 0, "", ""}};
  const std::vector<ThreadRecord> now = {{"0", 0, "", ""}, {"0.2", 0, "", ""}, {"0.1", 0, "", ""}};
  const std::vector<HeddleSegment> segments = {{0, 1}, {2, 5}, {1, 1}};
  const Schedule s(segments, then);
  EXPECT_EQ(*s.bind(then), segments);
  EXPECT_EQ(*s.bind(now), (std::vector<HeddleSegment>{{0, 1}, {1, 5}, {2, 1}}));
  EXPECT_FALSE(s.bind(std::span(now).first(1)));
  EXPECT_EQ(Schedule(std::vector<HeddleSegment>{{77, 1}}, then).print().find("?77") == std::string::npos, false);
}

TEST(Switches, LeavingAThreadThatCouldGoOnIsAPreemption) {
  const auto event = [](std::uint16_t thread, int flags) {
    HeddleEvent e{};
    e.thread = thread;
    e.flags = static_cast<std::uint8_t>(flags | HEDDLE_EF_POINT);
    return e;
  };
  SwitchCounter c;
  for (const HeddleEvent& e : {event(0, HEDDLE_EF_SWITCH), event(0, 0), event(1, HEDDLE_EF_SWITCH), event(1, 0),
                               event(0, HEDDLE_EF_SWITCH | HEDDLE_EF_PREEMPTED), event(1, HEDDLE_EF_SWITCH)})
    c.add(e);
  EXPECT_EQ(c.switches(), 3u);
  EXPECT_EQ(c.preemptions(), 1u);
}

}  // namespace
}  // namespace heddle
