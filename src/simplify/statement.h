// One statement of a line of C or C++.
#pragma once
#include <cstdint>
#include <string_view>

namespace heddle {

/// The part of `line` around `column` (from 1; 0: not known) that ends at braces and semicolons outside of parentheses,
/// without these, blanks and a comment behind it; the whole line where nothing is at that column.
std::string_view statement_at(std::string_view line, std::uint32_t column);

}  // namespace heddle
