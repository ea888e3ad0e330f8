// Strings of a trace made fit for a terminal. Traces are untrusted: control characters never reach the terminal.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "src/show/view.h"

namespace heddle {

/// The signs of the text view, as UTF-8 or ASCII.
struct Signs {
  const char* preempted;
  const char* ellipsis;
  const char* arrow;
  const char* times;
  const char* dot;
};
const Signs& signs(bool utf8);

enum class Paint { Plain, Bold, Dim, Red, Green, Yellow, Cyan };
/// `text` in a colour; as it is when `colour` is false.
std::string paint(bool colour, Paint paint, std::string_view text);

/// One line: tabs and newlines become spaces, other control characters (C0, C1, those that turn the direction of text)
/// and broken UTF-8 "?"; without `utf8` all beyond ASCII.
std::string clean(std::string_view text, bool utf8);
/// The same for text of several lines: line feeds and tabs stay.
std::string neutral(std::string_view text);
/// Data that is not meant to be read: it holds a NUL, or one byte in eight is a control character or no UTF-8.
bool is_binary(std::string_view bytes);
/// "1,204 bytes of binary data, beginning with 7f 45 4c 46 (.ELF)"
std::string binary_text(std::string_view bytes);
/// Characters of a clean() string.
std::size_t width_of(std::string_view text);
/// At most `width` characters, with an ellipsis where it was cut.
std::string fit(std::string_view text, std::size_t width, bool utf8);
/// fit() and blanks up to exactly `width` characters.
std::string pad(std::string_view text, std::size_t width, bool utf8);

/// 1204 -> "1,204"; counted("event", 2) -> "2 events"
std::string grouped(std::uint64_t n);
std::string counted(std::string_view noun, std::uint64_t n);
/// The last part of a path; all of it when there is none.
std::string_view base_name(std::string_view path);

}  // namespace heddle
