// Findings as JSON: the fields of DESIGN.md's table.
#pragma once
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "src/engine/replay.h"
#include "src/trace/trace.h"

namespace heddle {

nlohmann::ordered_json failure_json(const std::optional<FailureRecord>& failure);  // null when there is none
nlohmann::ordered_json race_json(const RaceRecord& race);
nlohmann::ordered_json divergence_json(const std::optional<DivergenceText>& divergence);

/// One object on stdout; bytes that are not UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& object);
/// {"error": message}
void print_json_error(const std::string& message);

}  // namespace heddle
