// What a hunt found, in words or as JSON.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "src/hunt/find.h"
#include "tools/hunt_arguments.h"

namespace heddle {

/// heddle hunt's exit status: that a failure is confirmed counts, not which.
int status_of(const Answer& answer);
/// --simplify, in lines: what is left of this failure's trace, and where the whole one lies. Empty: nobody asked.
std::vector<std::string> simplified_words(const ToldFailure& told);
/// Of --json.
nlohmann::ordered_json object_of(const HuntArguments& arguments, const Answer& answer);
void print_answer(const HuntArguments& arguments, const Answer& answer);

}  // namespace heddle
