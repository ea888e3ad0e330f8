#include "src/engine/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/trace/detail.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(Options, TextAndParseAreInverse) {
  Options options;
  options.backend = Options::Backend::kBaton;
  options.max_steps = 12345;
  options.hang_timeout = milliseconds(1500);
  options.pin = false;
  EXPECT_EQ(Options::parse(options.text()).value(), options);
  EXPECT_EQ(Options{}.text(), "");
  EXPECT_EQ(Options::parse("").value(), Options{});
}

TEST(Options, BadOnesAreNamed) {
  EXPECT_THAT(Options::parse("backend=threads").error().message,
              HasSubstr("invalid value of backend: expected baton|fibers"));
  EXPECT_THAT(Options::parse("nope=1").error().message, HasSubstr("unknown option nope"));
  EXPECT_THAT(Options::parse("max_steps=-1").error().message, HasSubstr("max_steps"));
  EXPECT_THAT(Options::parse("max_steps=1x").error().message, HasSubstr("max_steps"));
}

TEST(Options, DetailIsOneWordOrSeveral) {
  EXPECT_FALSE(Options{}.detail.bits);
  EXPECT_EQ(Options::parse("detail=accesses").value().detail.bits, kAccessesDetail);
  EXPECT_EQ(Options::parse("detail=points+calls").value().detail.bits, kPointsDetail | HEDDLE_DETAIL_CALLS);
  for (const char* text : {"detail=points", "detail=branches+calls"}) EXPECT_EQ(Options::parse(text)->text(), text);
  EXPECT_FALSE(Options::parse("detail=points:detail=auto").value().detail.bits);
  EXPECT_THAT(Options::parse("detail=all").error().message, HasSubstr("detail"));
}

TEST(Options, EmptyItemsAndFlagsWithoutValueAreFine) {
  EXPECT_TRUE(Options::parse(":help:").value().help);
  EXPECT_TRUE(Options::parse("fork_at_mark").value().fork_at_mark);
}

TEST(Options, LaterOnesWin) {
  Options options = Options::parse("max_steps=1").value();
  ASSERT_TRUE(options.apply("max_steps=2"));
  EXPECT_EQ(options.max_steps, 2u);
}

TEST(Options, HelpNamesEveryKey) {
  std::string help = Options::help_text();
#define HEDDLE_OPTION(key, type, default_value, text) EXPECT_THAT(help, HasSubstr(#key));
#include "src/engine/options.def"
#undef HEDDLE_OPTION
}

TEST(Duration, UnitsAndErrors) {
  EXPECT_EQ(parse_duration("30s").value(), milliseconds(30'000));
  EXPECT_EQ(parse_duration("5m").value(), milliseconds(300'000));
  EXPECT_EQ(parse_duration("1.5").value(), milliseconds(1500));
  EXPECT_EQ(parse_duration("20ms").value(), milliseconds(20));
  for (const char* bad : {"", "s", "-1s", "5x", "1e99h", "nan"}) EXPECT_FALSE(parse_duration(bad)) << bad;
}

}  // namespace
}  // namespace heddle
