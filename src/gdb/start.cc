#include "src/gdb/session.h"

namespace heddle {

Error start_program(const Replayer& replayer, const Launch& launch, const StandardStreams& streams,
                    std::uint64_t stop_at) {
  Result<Region> region = Region::create();
  if (!region) return region.error();
  RunRequest request = replayer.request();
  request.parameters.backend = HEDDLE_BACKEND_BATON;  // gdb knows kernel threads only
  request.parameters.debugger = 1;
  request.parameters.pin_cpu = -1;
  if (Status written = write_request(*region, request); !written) return written.error();
  region->header().debugger.stop_at = stop_at;
  return become(launch, streams, region->fd());
}

}  // namespace heddle
