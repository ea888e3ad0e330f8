#include "src/show/words.h"

#include <fmt/format.h>

#include "src/show/utf8.h"

namespace heddle {
namespace {

/// Length of the well-formed UTF-8 character at the front of `s`; 0: none, or a C1 control character.
std::size_t utf8_length(std::string_view s) {
  const auto [code, bytes] = front_character(s);
  return code >= 0x80 && code < 0xa0 ? 0 : bytes;
}

/// Characters by which text reads otherwise than it is: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool turns_text(std::string_view character) {
  if (character == "\u061c") return true;
  return character.size() == 3 && ((character >= "\u200e" && character <= "\u200f") ||
                                   (character >= "\u2028" && character <= "\u202e") ||
                                   (character >= "\u2066" && character <= "\u2069"));
}

/// What a terminal would obey, or cannot show.
bool is_unfit(std::string_view character) {
  const auto c = static_cast<unsigned char>(character.front());
  return c < 0x20 || c == 0x7f || turns_text(character);
}

/// Bytes of the first `characters` characters of a clean() string.
std::size_t prefix_bytes(std::string_view text, std::size_t characters) {
  std::size_t i = 0;
  for (; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80 && characters-- == 0) break;
  return i;
}

}  // namespace

const Signs& signs(bool utf8) {
  static constexpr Signs kUnicode{"◀ preempted here", "…", "→", "×", "·"},
      kAscii{"<- preempted here", "...", "->", "x", "-"};
  return utf8 ? kUnicode : kAscii;
}

std::string paint(bool colour, Paint paint, std::string_view text) {
  static constexpr const char* kCodes[] = {"", "1", "2", "1;31", "32", "33", "36"};
  if (!colour || paint == Paint::Plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<int>(paint)], text);
}

std::string clean(std::string_view text, bool utf8) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    std::size_t n = utf8_length(text);
    if (c == '\t' || c == '\n' || c == '\r') {
      out += ' ';
    } else if (n == 0 || is_unfit(text.substr(0, n)) || (n > 1 && !utf8)) {
      out += '?';
    } else {
      out.append(text.substr(0, n));
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

std::string neutral(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t n = utf8_length(text);
    if (n == 0 || (is_unfit(text.substr(0, n)) && c != '\n' && c != '\t'))
      out += '?';
    else
      out.append(text.substr(0, n));
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

bool is_binary(std::string_view bytes) {
  constexpr std::string_view kOfText = "\t\n\v\f\r\b\x1b";  // with the escape sequences of colours
  std::size_t odd = 0;
  const std::size_t size = bytes.size();
  while (!bytes.empty()) {
    const char c = bytes[0];
    const std::size_t n = utf8_length(bytes);
    if (c == 0) return true;
    odd += n == 0 || (static_cast<unsigned char>(c) < 0x20 && kOfText.find(c) == std::string_view::npos);
    bytes.remove_prefix(n == 0 ? 1 : n);
  }
  return odd * 8 > size;
}

std::string binary_text(std::string_view bytes) {
  constexpr std::size_t kShown = 16;
  std::string hex, readable;
  for (const char c : bytes.substr(0, kShown)) {
    hex += fmt::format(" {:02x}", static_cast<unsigned char>(c));
    readable += c >= 0x20 && c < 0x7f ? c : '.';
  }
  return fmt::format("{} of binary data, beginning with{} ({})", counted("byte", bytes.size()), hex, readable);
}

std::size_t width_of(std::string_view text) {
  std::size_t n = 0;
  for (char c : text) n += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return n;
}

std::string fit(std::string_view text, std::size_t width, bool utf8) {
  if (width_of(text) <= width) return std::string(text);
  const std::string_view mark = signs(utf8).ellipsis;
  const std::size_t mark_width = width_of(mark);
  if (width <= mark_width) return std::string(text.substr(0, prefix_bytes(text, width)));
  return std::string(text.substr(0, prefix_bytes(text, width - mark_width))).append(mark);
}

std::string pad(std::string_view text, std::size_t width, bool utf8) {
  std::string out = fit(text, width, utf8);
  out.append(width - std::min(width, width_of(out)), ' ');
  return out;
}

std::string grouped(std::uint64_t n) {
  const std::string digits = fmt::format("{}", n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string counted(std::string_view noun, std::uint64_t n) {
  return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

}  // namespace heddle
