// Simplifies one trace, with all that is around the search: what `heddle simplify` and `heddle hunt --simplify` share.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/engine/session.h"
#include "src/result/trouble.h"
#include "src/show/timeouts.h"
#include "src/simplify/order.h"
#include "src/simplify/preemptions.h"
#include "src/simplify/simplify.h"

namespace heddle {

enum class InputChoice { kAuto, kReal, kRecorded };

struct SimplifyTask {
  SessionTask session;  // its verb is simplify's. `stop`: no more attempts; the best so far is executed again ...
  const std::atomic<bool>* give_up = nullptr;  // ... and written, unless this is set
  std::filesystem::path output;
  InputChoice inputs = InputChoice::kAuto;
  SimplifyOptions options;  // their `stop` is the session's
  std::function<void(const SimplifyProgress&)> on_progress;
};

struct SimplifyAnswer {
  TraceHead before, after;  // heads of the two traces
  std::uint64_t executions = 0, rounds = 0;
  double seconds = 0;
  bool interrupted = false;
  InputSource inputs = InputSource::kReal;
  std::vector<Preemption> preemptions;
  std::vector<TurnOfThread> order;  // of the simplified trace; empty when it has preemptions
  std::vector<EarlyTimeout> timeouts;  // of the simplified trace
  std::vector<std::string> notes;
};

Answered<SimplifyAnswer> simplify_trace(const SimplifyTask& task);

}  // namespace heddle
