// A recording as an ordinary trace: what `heddle lift` does, and the verbs that need one.
#pragma once
#include <atomic>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/engine/options.h"
#include "src/lift/lift.h"
#include "src/trace/temporary_folder.h"

namespace heddle {

struct LiftTask {
  std::string trace;                 // file
  std::vector<std::string> program;  // behind --, instead of the recorded path
  bool trust = false;                // whoever made the trace
  std::filesystem::path output;
  Options engine;
  LiftLimits limits;
  const std::atomic<bool>* stop = nullptr;
};

struct LiftAnswer {
  Lifted lifted;
  double seconds = 0;
};

struct LiftTrouble {
  Error error;
  bool is_input = false;  // the trace or the program; else: it could not be done
};

std::expected<LiftAnswer, LiftTrouble> lift_trace(const LiftTask& task);

/// A recording's lifted form for a verb that needs an ordinary trace.
struct LiftedForm {
  std::filesystem::path trace;
  bool made = false;       // now; else it was there
  TemporaryFolder folder;  // where it lies, if not beside the recording
};
/// `task.output` is not looked at: the form lies beside the recording and stays there, or, where nothing can be
/// written, in a folder that goes with the answer.
std::expected<LiftedForm, LiftTrouble> lifted_form(LiftTask task, const TraceReader& recording);

/// Where the lifted form of a recording lies that verbs have made for themselves: votes.heddle -> votes.lifted.heddle.
std::filesystem::path lifted_beside(const std::filesystem::path& trace);

/// The lifted form beside the recording `task.trace`, if there is one and it is of this recording and this user's.
std::optional<std::filesystem::path> known_lifted(const LiftTask& task, const TraceReader& recording);

}  // namespace heddle
