// The events of a trace for the page: a table of shapes (what equal events have in common) and a stream of numbers.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/show/names.h"

namespace heddle {

/// All that events can share; each event adds its thread and, with HEDDLE_EF_VALUE, its value.
struct Shape {
  std::uint32_t place = 0, stack = 0, object = 0, what = 0;  // what: in strings()
  std::uint8_t kind = 0, flags = 0;                          // flags: size, point, value, failed
  bool operator==(const Shape&) const = default;
};

/// Stream, numbers as LEB128: 0 and a thread (the thread changes), or shape + 1, followed by the value: of up to 4
/// bytes zigzag of the difference to the shape's last one, of 8 bytes the low and the high half.
class PageEvents {
 public:
  explicit PageEvents(Names& names) : names_(names) {}
  void add(const HeddleEvent& event);
  std::string base64() const;
  const std::vector<Shape>& shapes() const { return shapes_; }
  const std::vector<std::string>& strings() const { return strings_; }

 private:
  struct Hash {
    std::size_t operator()(const Shape& s) const;
  };
  void number(std::uint64_t n);
  std::uint32_t intern(std::string text);

  Names& names_;
  std::string bytes_;
  std::vector<Shape> shapes_;
  std::vector<std::int64_t> last_;  // value by shape
  std::unordered_map<Shape, std::uint32_t, Hash> known_;
  std::vector<std::string> strings_{""};
  std::unordered_map<std::string, std::uint32_t> interned_{{"", 0}};
  std::uint32_t thread_ = ~0u;
};

}  // namespace heddle
