// Bytes of memory as text.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

/// "abc\0\xff": quoted, without anything that a terminal acts on; of more than `most` bytes the first ones and "...".
std::string bytes_text(std::string_view bytes, std::size_t most);

}  // namespace heddle
