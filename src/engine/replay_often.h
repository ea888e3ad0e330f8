// The same trace, several times.
#pragma once
#include <cstdint>
#include <optional>

#include "src/engine/session.h"

namespace heddle {

struct Replays {
  std::uint64_t reproduced = 0, diverged = 0, cut = 0;  // cut: followed what is left of a damaged trace
  std::optional<ReplayReport> shown;                    // the first that diverged, else the last
};

/// After session.start(). Ends early when the session's task is stopped. Errors: one could not be executed.
Result<Replays> replay_often(Session& session, std::uint64_t times);

}  // namespace heddle
