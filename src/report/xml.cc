#include "src/report/xml.h"

#include <cstdint>
#include <utility>

namespace heddle {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

/// The character at the front of `s` and its length in bytes; length 0: no well-formed UTF-8.
std::pair<std::uint32_t, std::size_t> character(std::string_view s) {
  const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(s[i]); };
  const std::uint32_t c = byte(0);
  if (c < 0x80) return {c, 1};
  const std::size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < 0xc0 || c > 0xf7 || n > s.size()) return {0, 0};
  std::uint32_t value = c & (0x7fu >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  return {value, value < kLeast[n] || value > 0x10ffff || surrogate ? 0 : n};
}

/// C1 control characters, and those that turn the direction of text: allowed, and nothing that a report needs.
bool misleads(std::uint32_t c) {
  return (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool allowed(std::uint32_t c) {  // the production Char of XML 1.0
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xfffe && c != 0xffff && !misleads(c));
}

std::string escaped(std::string_view bytes, bool attribute) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto [c, n] = character(bytes);
    if (n == 0 || !allowed(c))
      out += kReplacement;
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '\r')  // a parser would make it a line feed
      out += "&#13;";
    else if (attribute && c == '"')
      out += "&quot;";
    else if (attribute && c == '\n')
      out += "&#10;";
    else if (attribute && c == '\t')
      out += "&#9;";
    else
      out += bytes.substr(0, n);
    bytes.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

}  // namespace

std::string xml_text(std::string_view bytes) { return escaped(bytes, false); }
std::string xml_attribute(std::string_view bytes) { return escaped(bytes, true); }

}  // namespace heddle
