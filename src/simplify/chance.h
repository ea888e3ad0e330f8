// Would the program get the same answers if it asked the world again? Pure.
#pragma once
#include <optional>
#include <string_view>

namespace heddle {

/// What `inputs` (TraceHead::inputs: untrusted, read as far as it is intact) have that is up to chance in each
/// execution, in words: "random bytes". Nothing: files and the program's own pipes, which are the same where they
/// begin equal.
std::optional<std::string_view> chance_in(std::string_view inputs);

}  // namespace heddle
