// A recording as an ordinary trace: what `heddle lift` does, and the verbs that need one.
#pragma once
#include <filesystem>
#include <optional>

#include "src/engine/session.h"
#include "src/lift/lift.h"
#include "src/result/trouble.h"
#include "src/trace/temporary_folder.h"

namespace heddle {

struct LiftTask {
  SessionTask session;  // of the recording; its verb is lift's
  std::filesystem::path output;
  LiftLimits limits;  // `stop` is the session's
};

struct LiftAnswer {
  Lifted lifted;
  double seconds = 0;
};

Answered<LiftAnswer> lift_trace(const LiftTask& task);

/// A recording's lifted form for a verb that needs an ordinary trace.
struct LiftedForm {
  std::filesystem::path trace;
  bool made = false;       // now; else it was there
  TemporaryFolder folder;  // where it lies, if not beside the recording
};
/// `task.output` is not looked at: the form lies beside the recording and stays there, or, where nothing can be
/// written, in a folder that goes with the answer.
Answered<LiftedForm> lifted_form(LiftTask task, const TraceReader& recording);

/// Where the lifted form of a recording lies that verbs have made for themselves: votes.heddle -> votes.lifted.heddle.
std::filesystem::path lifted_beside(const std::filesystem::path& trace);

/// The lifted form beside the recording of `task`, if there is one and it is of this recording and this user's.
std::optional<std::filesystem::path> known_lifted(const LiftTask& task, const TraceReader& recording);

}  // namespace heddle
