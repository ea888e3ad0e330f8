#include "src/report/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/show/kind_text.h"
#include "src/show/words.h"

namespace heddle {

std::string place_text(const FailureRecord& failure) {
  std::string out;
  if (!failure.file.empty()) out = fmt::format("{}:{}", base_name(failure.file), failure.line);
  if (!failure.function.empty()) out += fmt::format("{}in {}", out.empty() ? "" : " ", failure.function);
  if (!failure.thread.empty()) out += fmt::format("{}thread {}", out.empty() ? "" : ", ", failure.thread);
  return out;
}

std::string access_text(const RaceAccess& access) {
  const Frame frame = own_frame(access);
  const std::string at = frame.file.empty() ? "" : fmt::format(" {}:{}", base_name(frame.file), frame.line);
  return fmt::format("{}{}{} (thread {})", access_word(access.kind), at,
                     frame.function.empty() ? "" : " in " + frame.function, access.thread);
}

}  // namespace heddle
