// UTF-8 of unknown origin.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no well-formed UTF-8 (broken, overlong, a surrogate, beyond U+10FFFF)
};
/// The one at the front of `text`, which is not empty.
Utf8Character front_character(std::string_view text);

}  // namespace heddle
