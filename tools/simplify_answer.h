// What a simplification found, in words or as JSON: what `heddle simplify` and `heddle hunt --simplify` share.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/simplify/simplify_trace.h"

namespace heddle {

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
