#include "src/show/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

std::string encoded(std::uint32_t c) {
  const auto part = [&](unsigned shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xc0 | c >> 6), part(0)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | c >> 12), part(6), part(0)};
  return {static_cast<char>(0xf0 | c >> 18), part(12), part(6), part(0)};
}

TEST(Utf8, every_character_is_itself) {
  for (std::uint32_t c = 0; c < 0x110000; c++) {
    const std::string text = encoded(c) + "x";
    const Utf8Character found = front_character(text);
    const bool surrogate = c >= 0xd800 && c < 0xe000;
    ASSERT_EQ(found.bytes, surrogate ? 0 : text.size() - 1) << std::hex << c;
    ASSERT_EQ(found.code, surrogate ? 0 : c);
  }
}

TEST(Utf8, what_is_broken_is_none) {
  for (const std::string_view text : {"\x80", "\xbf", "\xc3", "\xc3x", "\xe2\x82", "\xe2\x82x", "\xf0\x9f\x98", "\xff",
                                      "\xf8\x88\x80\x80\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf",
                                      "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf7\xbf\xbf\xbf"})
    EXPECT_EQ(front_character(text).bytes, 0u) << text;
}

}  // namespace
}  // namespace heddle
