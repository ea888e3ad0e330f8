#include "src/trace/detail.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Detail, the_words_of_earlier_versions_mean_what_they_meant) {
  for (const auto& [word, level] : {std::pair{"points", 1u}, {"accesses", 2u}, {"branches", 3u}}) {
    EXPECT_EQ(parse_detail(word), detail_of_level(level));
    EXPECT_EQ(level_of_detail(detail_of_level(level)), level);
  }
  EXPECT_EQ(detail_of_level(0), 0u);
  EXPECT_EQ(level_of_detail(0), 0u);
}

TEST(Detail, words_are_joined_to_a_union) {
  EXPECT_EQ(parse_detail("accesses+branches"), parse_detail("branches"));
  EXPECT_EQ(parse_detail("points+calls"), kPointsDetail | HEDDLE_DETAIL_CALLS);
  EXPECT_EQ(parse_detail("branches+calls"), HEDDLE_DETAIL_ALL);
  EXPECT_FALSE(*parse_detail("values+calls") & HEDDLE_DETAIL_STACKS);
}

TEST(Detail, what_is_no_word_is_refused) {
  for (const char* bad : {"", "+", "points+", "+points", "all", "Points", "points,calls", "points calls"})
    EXPECT_FALSE(parse_detail(bad)) << bad;
}

TEST(Detail, text_and_parse_are_inverse) {
  for (const char* text : {"points", "accesses", "branches", "values", "calls", "values+calls", "branches+calls",
                           "points+values", "points+calls", "values+points+calls"}) {
    const auto detail = parse_detail(text);
    ASSERT_TRUE(detail) << text;
    EXPECT_EQ(parse_detail(detail_text(*detail)), detail) << text;
  }
  EXPECT_EQ(detail_text(0), "");
  EXPECT_EQ(detail_words(), "branches|accesses|points|values|calls");
}

// What a hostile trace says is a level that no version had.
TEST(Detail, unknown_levels_are_the_highest) { EXPECT_EQ(detail_of_level(~0ull), kBranchesDetail); }

TEST(Detail, every_bit_has_a_token) {
  EXPECT_EQ(detail_tokens(HEDDLE_DETAIL_ALL).size(), 6u);
  EXPECT_EQ(detail_tokens(kPointsDetail), (std::vector<std::string_view>{"points", "stacks"}));
}

}  // namespace
}  // namespace heddle
