// CHECK: a broken invariant of ours. Stays on in release; ends in tools/main.cc with exit status 70.
#pragma once
#include <stdexcept>
#include <string>

namespace heddle {

struct Bug : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] inline void bug(const char* what, const char* file, int line) {
  throw Bug(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace heddle

#define HEDDLE_CHECK(condition) ((condition) ? void() : ::heddle::bug(#condition, __FILE__, __LINE__))
