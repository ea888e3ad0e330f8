// Simplifies one trace: what `heddle simplify` and `heddle hunt --simplify` share.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/engine/options.h"
#include "src/show/timeouts.h"
#include "src/simplify/order.h"
#include "src/simplify/preemptions.h"
#include "src/simplify/simplify.h"

namespace heddle {

enum class InputChoice { kAuto, kReal, kRecorded };

struct SimplifyTask {
  std::string trace;    // file
  std::vector<std::string> program;  // behind --, instead of the recorded path; arguments are those of the trace
  bool trust = false;                // whoever made the trace
  std::filesystem::path output;
  InputChoice inputs = InputChoice::kAuto;
  SimplifyOptions options;
  Options engine;
  const std::atomic<bool>* stop = nullptr;  // set: no more attempts; the best so far is executed again and written ...
  const std::atomic<bool>* give_up = nullptr;  // ... unless this is set
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

/// Why there is no answer.
struct SimplifyTrouble {
  Error error;
  bool is_input = false;  // the trace or the program is not one that could be simplified; else: it could not
};

std::expected<SimplifyAnswer, SimplifyTrouble> simplify_trace(const SimplifyTask& task);

/// One line on a terminal that stays where it is.
void show_simplify_progress(const SimplifyProgress& progress);

/// "switches 23 -> 4   preemptions 17 -> 1      38 executions, 0.03 s"
std::string first_line(const SimplifyAnswer& answer);
/// Behind it: "   interrupted: the best so far", or nothing.
std::string interrupted_text(const SimplifyAnswer& answer);
/// The preemptions that are left, a line each; of many the first few, and where the others are: in `trace`, a word of a
/// shell. Without preemptions: the order in which the threads ran.
std::vector<std::string> preemption_lines(const SimplifyAnswer& answer, const std::string& trace);
nlohmann::ordered_json simplify_json(const SimplifyAnswer& answer, const std::string& output);

}  // namespace heddle
