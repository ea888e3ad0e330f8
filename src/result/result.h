// Error: bad input, I/O trouble, a missing program: returned, never thrown, never printed by a library.
#pragma once
#include <expected>
#include <string>
#include <utility>

namespace heddle {

struct Error {
  std::string message;  // one sentence, no trailing newline, names the file or option it is about
  std::string advice;   // what to do, may be empty
};

template <class T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

inline std::unexpected<Error> error(std::string message, std::string advice = {}) {
  return std::unexpected(Error{std::move(message), std::move(advice)});
}

}  // namespace heddle
