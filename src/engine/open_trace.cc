#include "src/engine/open_trace.h"

#include "src/engine/recover.h"
#include "src/log/log.h"
#include "src/trace/temporary_folder.h"

namespace heddle {

Result<TraceReader> open_trace(const std::filesystem::path& path) {
  if (Log::is_log(path))
    return error(path.string() + " is a log that a program kept of itself, not a trace",
                 "heddle show " + path.string() + " says what is in it");
  if (!is_raw_recording(path)) return TraceReader::open(path);
  const Result<TemporaryFolder> folder = TemporaryFolder::create("trace");
  if (!folder) return std::unexpected(folder.error());
  const std::filesystem::path trace = folder->path() / "recovered.heddle";
  Status recovered = recover_recording(path, trace);
  if (!recovered) return std::unexpected(recovered.error());
  return TraceReader::open(trace);  // which keeps the file open: the folder is gone with this function
}

}  // namespace heddle
