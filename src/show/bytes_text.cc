#include "src/show/bytes_text.h"

#include <fmt/format.h>

namespace heddle {

std::string bytes_text(std::string_view bytes, std::size_t most) {
  std::string out = "\"";
  for (const char c : bytes.substr(0, most)) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\0')
      out += "\\0";
    else if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + (bytes.size() > most ? "\"..." : "\"");
}

}  // namespace heddle
