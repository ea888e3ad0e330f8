#include "src/simplify/statement.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Around the first `part` in the line.
std::string_view around(std::string_view line, std::string_view part) {
  return statement_at(line, static_cast<std::uint32_t>(line.find(part) + 1));
}

TEST(Statement, IsTheOneAtTheColumn) {
  EXPECT_EQ(around("  hits++;", "hits"), "hits++");
  EXPECT_EQ(around("void* f(void* p) { n++; m--; return p; }", "n++"), "n++");
  EXPECT_EQ(around("void* f(void* p) { n++; m--; return p; }", "m--"), "m--");
  EXPECT_EQ(around("  if (a) { x = 1; }", "a)"), "if (a)");
  EXPECT_EQ(around("  q->mut = 0;  // lets go", "q"), "q->mut = 0");
}

TEST(Statement, KeepsWhatIsInParenthesesOrQuotesWhole) {
  EXPECT_EQ(around("for (int i = 0; i < n; i++) x++;", "x++"), "for (int i = 0; i < n; i++) x++");
  EXPECT_EQ(around("puts(\"a;b\"); n++;", "puts"), "puts(\"a;b\")");
  EXPECT_EQ(around("c = '\\''; n++;", "n++"), "n++");
}

TEST(Statement, WithoutAColumnIsTheLine) {
  EXPECT_EQ(statement_at("  a = 1; b = 2;", 0), "a = 1; b = 2");
  EXPECT_EQ(statement_at("  a = 1;", 99), "a = 1");
  EXPECT_EQ(statement_at("", 1), "");
  EXPECT_EQ(statement_at("  };", 3), "");
}

}  // namespace
}  // namespace heddle
