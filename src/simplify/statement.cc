#include "src/simplify/statement.h"

#include <algorithm>
#include <vector>

namespace heddle {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \t;{}";
  const std::size_t first = text.find_first_not_of(kAround);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kAround) + 1 - first);
}

/// Where statements of the line end: the positions of braces and semicolons that are in no parentheses and no quotes.
std::vector<std::size_t> ends(std::string_view line) {
  std::vector<std::size_t> out;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); i++) {
    const char c = line[i];
    if (quote) {
      if (c == '\\') i++;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(') depth++;
    if (c == ')') depth--;
    if (depth <= 0 && (c == ';' || c == '{' || c == '}')) out.push_back(i);
  }
  return out;
}

}  // namespace

std::string_view statement_at(std::string_view line, std::uint32_t column) {
  line = line.substr(0, line.find(" //"));  // a comment is not what it did
  if (column == 0 || column > line.size()) return trimmed(line);
  std::size_t first = 0, last = line.size();
  for (const std::size_t end : ends(line)) {
    if (end < column - 1) first = end + 1;
    if (end >= column - 1) last = std::min(last, end);
  }
  const std::string_view statement = trimmed(line.substr(first, last - first));
  return statement.empty() ? trimmed(line) : statement;
}

}  // namespace heddle
