// Who asks, and from where: what libraries need to know of it and do not find out for themselves.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/seal/key.h"

namespace heddle {

struct User {
  std::vector<std::string> environment;  // of heddle, without its own variables
  std::filesystem::path key_file;        // what traces are sealed with; empty: there is no place for it
  /// Asked when a trace is going to be written: the key for it. None: it is not sealed.
  std::function<std::optional<SealKey>()> key_for_new_traces;
};

}  // namespace heddle
