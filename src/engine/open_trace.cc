#include "src/engine/open_trace.h"

#include "src/engine/recover.h"
#include "src/trace/temporary_folder.h"

namespace heddle {

Result<TraceReader> open_trace(const std::filesystem::path& path) {
  if (!is_raw_recording(path)) return TraceReader::open(path);
  const Result<TemporaryFolder> folder = TemporaryFolder::create("trace");
  if (!folder) return std::unexpected(folder.error());
  const std::filesystem::path trace = folder->path() / "recovered.heddle";
  Status recovered = recover_recording(path, trace);
  if (!recovered) return std::unexpected(recovered.error());
  return TraceReader::open(trace);  // which keeps the file open: the folder is gone with this function
}

}  // namespace heddle
