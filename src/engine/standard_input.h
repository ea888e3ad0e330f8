// What a program reads from its standard input, the same in each run.
#pragma once
#include <string>

#include "src/engine/descriptor.h"
#include "src/result/result.h"

namespace heddle {

/// In a descriptor that can be rewound (WorkerOptions::standard_input).
struct StandardInput {
  Descriptor file;
  std::string bytes;
};
Result<StandardInput> standard_input_of(std::string bytes);

}  // namespace heddle
