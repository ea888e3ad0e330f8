#include "src/engine/standard_input.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle {

Result<StandardInput> standard_input_of(std::string bytes) {
  StandardInput input{Descriptor(memfd_create("standard input", MFD_CLOEXEC)), std::move(bytes)};
  if (!input.file) return error(fmt::format("cannot keep the standard input: {}", std::strerror(errno)));
  for (std::size_t at = 0; at < input.bytes.size();) {
    ssize_t n = write(input.file.get(), input.bytes.data() + at, input.bytes.size() - at);
    if (n <= 0) return error(fmt::format("cannot keep the standard input: {}", std::strerror(errno)));
    at += static_cast<std::size_t>(n);
  }
  return input;
}

}  // namespace heddle
