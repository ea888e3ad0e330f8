// Why a trace fails: which orders cause it, beside an execution in another order that does not fail. Everything that is
// said was executed: the failure after simplification, each reversal that was tried, and the alternate execution.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/session.h"
#include "src/explain/projection.h"
#include "src/result/trouble.h"
#include "src/simplify/trial.h"

namespace heddle {

struct ExplainTask {
  SessionTask session;  // of the trace; its verb is explain's
  std::filesystem::path alternate;  // where the trace of the alternate execution is written
  SearchLimits limits;              // `stop` is the session's
  std::function<void(const Found&)> on_progress;
};

struct ExplainAnswer {
  TraceHead original, failing;         // of the trace, and of its simplified form
  std::optional<TraceHead> alternate;  // nothing: no execution was found that does not fail
  std::size_t failing_events = 0, failing_flows = 0;
  Found found;                         // without the trial
  Comparison comparison;
  Verdict verdict;
  Projection projection;
  std::uint64_t executions = 0;
  double seconds = 0;
  std::vector<std::string> notes;
};

Answered<ExplainAnswer> explain_trace(const ExplainTask& task);

}  // namespace heddle
