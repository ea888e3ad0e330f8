// What each thread of a trace did, as SARIF's threadFlows.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "src/report/locations.h"
#include "src/trace/container.h"

namespace heddle {

/// An array with one threadFlow per thread of the trace, in the order of the thread table. Each location is a line that
/// the thread executed, with what happened there; executionOrder is the order over all threads; where a thread was left
/// for another one the message says so, and `properties` has "switch" (and "preempted") with the name of who went on.
/// The last location of a thread is where it was at the failure. Of a long trace: its beginning, its end, and what is
/// around preemptions.
nlohmann::ordered_json thread_flows(const TraceReader& trace, const Locations& locations);

}  // namespace heddle
