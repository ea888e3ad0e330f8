#include "src/report/xml.h"

#include <cstdint>

#include "src/show/utf8.h"

namespace heddle {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

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
    const auto [c, n] = front_character(bytes);
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
