#include "tools/open_trace.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "src/record/recover.h"

namespace heddle {

Result<TraceReader> open_trace(const std::filesystem::path& path) {
  if (!is_raw_recording(path)) return TraceReader::open(path);
  std::error_code none;
  std::string folder = (std::filesystem::temp_directory_path(none) / "heddle-XXXXXX").string();
  if (!mkdtemp(folder.data())) return error(fmt::format("cannot make a folder in {}: {}", folder, std::strerror(errno)));
  const std::filesystem::path trace = std::filesystem::path(folder) / "recovered.heddle";
  Status recovered = recover_recording(path, trace);
  Result<TraceReader> reader = recovered ? TraceReader::open(trace) : std::unexpected(recovered.error());
  std::filesystem::remove_all(folder, none);  // the reader has the file open
  return reader;
}

}  // namespace heddle
