// Why an analysis of a trace has no answer.
#pragma once
#include <expected>

#include "src/result/result.h"

namespace heddle {

struct Trouble {
  Error error;
  bool is_input = false;  // the trace or the program is not one that it could work on; else: it could not be done
};
template <typename T>
using Answered = std::expected<T, Trouble>;

inline std::unexpected<Trouble> bad_input(const Error& error) { return std::unexpected(Trouble{error, true}); }
inline std::unexpected<Trouble> could_not(const Error& error) { return std::unexpected(Trouble{error, false}); }

}  // namespace heddle
